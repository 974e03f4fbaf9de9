// Where each group of the hand lies: in one fan if it fits, else in rows, so that every group is at least 44 px to hit.
import type { Group } from './hand';

export interface Spot {
  group: Group;
  row: number;
  /** pixels from the left edge of its row */
  left: number;
  /** width that belongs to this group alone: what a finger can hit */
  width: number;
  /** pixels between cards of the same rank */
  inner: number;
  /** degrees and pixels that make a single row a fan */
  turn: number;
  drop: number;
}

export interface HandLayout {
  spots: Spot[];
  rows: number;
  card_width: number;
}

const TARGET = 44;
const INNER_LEAST = 15;
/** What a fan's outermost cards, turned and drawn up, reach beyond their row on either side, in widths of a card. */
const FAN_ROOM = 0.25;
/** A narrower hand lies flat. */
const FAN_LEAST = 480;

/** The width a row takes at the least: the last card of it is seen whole. */
function leastWidth(row: readonly Group[], card: number): number {
  const visible = row.map((group) => Math.max(TARGET, TARGET + (group.cards.length - 1) * INNER_LEAST));
  return visible.reduce((sum, width) => sum + width, 0) - TARGET + card;
}

function split(groups: readonly Group[], rows: number): Group[][] {
  const weight = (group: Group): number => TARGET + (group.cards.length - 1) * INNER_LEAST;
  const share = groups.reduce((sum, group) => sum + weight(group), 0) / rows;
  const result: Group[][] = [[]];
  let filled = 0;
  for (const group of groups) {
    const row = result[result.length - 1] as Group[];
    if (row.length > 0 && result.length < rows && filled + weight(group) / 2 > share * result.length) result.push([group]);
    else row.push(group);
    filled += weight(group);
  }
  return result;
}

function laid(row: readonly Group[], index: number, width: number, card: number, is_fan: boolean, kept: number): Spot[] {
  const slack = Math.max(0, width - kept - leastWidth(row, card));
  const extras = row.reduce((sum, group) => sum + group.cards.length - 1, 0);
  const outer_more = Math.min(card + 6 - TARGET, slack / Math.max(1, row.length - 1 + extras));
  const inner = Math.min(card * 0.42, INNER_LEAST + Math.max(0, outer_more));
  const widths = row.map((group) => TARGET + outer_more + (group.cards.length - 1) * inner);
  const total = widths.reduce((sum, each) => sum + each, 0) - TARGET - outer_more + card;
  let left = Math.max(0, (width - total) / 2);
  return row.map((group, i) => {
    const middle = row.length === 1 ? 0 : (2 * i) / (row.length - 1) - 1;
    const own = i === row.length - 1 ? card + (group.cards.length - 1) * inner : (widths[i] ?? TARGET);
    const spot = { group, row: index, left, width: own, inner, turn: is_fan ? middle * 7 : 0, drop: is_fan ? middle * middle * 14 : 0 };
    left += widths[i] ?? TARGET;
    return spot;
  });
}

export function handLayout(groups: readonly Group[], width: number, card_width: number): HandLayout {
  let rows = 1;
  while (rows < 4 && split(groups, rows).some((row) => leastWidth(row, card_width) > width)) rows += 1;
  const room = 2 * FAN_ROOM * card_width;
  const is_fan = rows === 1 && width > FAN_LEAST && leastWidth(groups, card_width) <= width - room;
  const spots = split(groups, rows).flatMap((row, i) => laid(row, i, width, card_width, is_fan, is_fan ? room : 0));
  return { spots, rows, card_width };
}
