// Every screen from a made-up state, for looking at without a server: `npm run dev`, then
// /dev/gallery.html?screen=race&theme=dark&lang=es&seats=6&names=long&panel=rules. The browser tests build it for
// themselves (vite.gallery.config.ts) and go from state to state by `gallery.show`. It is no part of the client's build.
import { mount, tick, unmount } from 'svelte';
import '../src/styles/tokens.css';
import '../src/styles/suits.css';
import '../src/styles/base.css';
import { locale } from '../src/i18n/i18n.svelte';
import { type Profile, profile } from '../src/profile/profile.svelte';
import { Session } from '../src/state/session.svelte';
import Start from '../src/screens/Start.svelte';
import SettingsForm from '../src/components/SettingsForm.svelte';
import { gameOf, optionsOf, rulesOf, timesOf, variantText } from '../src/i18n/rules';
import type { RulesetRow } from '../src/net/api';
import { groups, leastPlay, pick } from '../src/play/hand';
import { last } from '../src/play/last';
import { declared, factsOf, mayPlay, meanings } from '../src/play/rules';
import { titlesOf } from '../src/play/titles';
import type { Card, Settings, View } from '../src/protocol/types';
import Frame from './Frame.svelte';
import { around, lobby, SCREENS, trickOf, type Screen } from './fixtures';

export interface Look extends Partial<Profile> {
  screen?: string;
  panel?: string;
  /** so many chairs around the table, with names of 24 wide letters if `names` is `long` */
  seats?: number;
  /** why one's latest attempt was refused */
  why?: string;
  names?: string;
}

const NOW = 1_000_000;
const target = document.getElementById('app') as HTMLElement;
let shown: Record<string, unknown> | null = null;

function sessionOf(screen: Screen, seats: number | undefined, names: string | undefined): Session {
  const session = new Session('abcdefghijk');
  session.clock.take(performance.now() - 30, performance.now(), NOW);
  const state = screen.state(NOW);
  session.state.show(seats === undefined && names === undefined ? state : around(state, seats ?? 6, names === 'long'));
  session.link = screen.link ?? { kind: 'live' };
  session.rtt = 34;
  session.painted = session.view?.trick?.state ?? null;
  Object.assign(session, { close: () => undefined });
  Object.defineProperty(session, 'can_act', { get: () => session.link.kind === 'live' });
  return session;
}

const refused = (screen: Screen, why: string): Screen => ({
  ...screen, state: (now) => ({ ...screen.state(now), outcome: { id: 1, kind: 'refused', why } }),
});

function press(test: string): void {
  target.querySelector<HTMLElement>(`[data-test=${test}]`)?.click();
}

async function open(panel: string): Promise<void> {
  const first = ['activity', 'rules', 'menu'].includes(panel) ? panel : 'menu';
  press(`open-${first}`);
  await tick();
  if (first !== panel) press(`menu-${panel}`);
  await tick();
}

async function show(look: Look): Promise<void> {
  if (shown !== null) await unmount(shown);
  const { screen = 'race', panel, seats, names, why, ...own } = look;
  profile.value = { ...profile.value, theme: 'light', felt: 'green', faces: 'standard', motion: 'less', lang: 'en', name: 'Ana', ...own };
  const { theme, felt, faces, motion } = profile.value;
  Object.assign(document.documentElement.dataset, { theme, felt, faces, motion: motion === 'less' ? 'less' : 'full' });
  await locale.load(profile.value.lang);
  const found = SCREENS[screen];
  if (screen === 'start') shown = mount(Start, { target });
  else if (found === undefined) throw new Error(`no screen ${screen}`);
  else shown = mount(Frame, { target, props: { session: sessionOf(why === undefined ? found : refused(found, why), seats, names) } });
  await tick();
  if (screen === 'start' && panel !== undefined) press(`open-${panel}`);
  else if (panel !== undefined) await open(panel);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

type Change = Record<string, unknown>;
type Control = HTMLInputElement | HTMLSelectElement;

function change(control: Control, value: string): void {
  control.value = value;
  control.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Does all that can be done to one control of the form. A number is set to its limits, and beyond them. */
function use(control: Control): void {
  if (control instanceof HTMLSelectElement) {
    const values = [...control.options].filter((option) => !option.disabled && !option.selected).map((option) => option.value);
    for (const value of values) change(control, value);
  } else if (control.type === 'number') {
    const [least, most] = [Number(control.min), Number(control.max)];
    for (const value of [least, most, least - 1, most + 1]) change(control, String(value));
  } else control.click();
}

/** Mounts the settings form, and gives every change that it lets a host ask for. */
async function form(settings: Settings, rows: RulesetRow[], taken: number): Promise<Change[]> {
  if (shown !== null) await unmount(shown);
  const session = sessionOf({ state: (now) => lobby(now, settings, taken) }, undefined, undefined);
  const asked: Change[] = [];
  session.host = (_action, fields) => asked.push((fields as { settings: Change }).settings) > 0;
  shown = mount(SettingsForm, { target, props: { session, rows } });
  await tick();
  const controls = [...target.querySelectorAll<Control>('input, select')];
  for (const control of controls) if (!control.matches(':disabled')) use(control);
  return asked;
}

/** Whether each of these plays answers each of these tops by what this client knows: '1' and '0', tops outside. */
function answers(settings: Settings, revolution: boolean, plays: [string, number][]): string {
  return plays.flatMap((top) => {
    const view = trickOf(settings, revolution, top);
    return plays.map(([rank, count]) => (mayPlay(view, rank, count) ? '1' : '0'));
  }).join('');
}

/** For each group of a hand, at a trick with one play: its cards, and what one tap and the button send; null where it is dim. */
function taps(settings: Settings, [hand, top, revolution]: [Card[], [string, number], boolean]): [Card[], Card[] | null][] {
  const view: View = { ...trickOf(settings, revolution, top), you: { seat: 0, hand, owes: null, salted: true } };
  const facts = factsOf(settings);
  return groups(hand, facts).map((group) => {
    const cards = leastPlay(view, group, hand) === null ? null : pick(view, group, []);
    return [group.cards, cards && declared(facts, cards, last(meanings(view, cards), () => true) ?? null)];
  });
}

/** The rules of a table in words, without the list of options. */
const told = (settings: Settings): string[] => [
  ...rulesOf(settings), ...gameOf(settings), ...timesOf(settings),
  ...Object.keys(settings.variants).filter((name) => settings.variants[name] === true).map((name) => variantText(settings, name)),
];

const query = new URLSearchParams(location.search);
const asked: Record<string, unknown> = Object.fromEntries(query);
if (query.has('seats')) asked['seats'] = Number(query.get('seats'));
await show(asked);
Object.assign(window, { gallery: { show, form, answers, taps: (settings: Settings, at: Parameters<typeof taps>[1][]) => at.map((each) => taps(settings, each)), told, options: (settings: Settings) => optionsOf(settings), titles: titlesOf, screens: ['start', ...Object.keys(SCREENS)] } });
