// Which settings are new after a change, in the order and under the names of the settings form.
import type { OptionValue, Settings } from '../protocol/types';

export interface Change {
  scope: 'set' | 'variant' | 'option';
  name: string;
  value: OptionValue;
}

type Values = Record<string, OptionValue>;

const differing = (scope: Change['scope'], before: Values, after: Values): Change[] =>
  Object.entries(after).filter(([name, value]) => before[name] !== value).map(([name, value]) => ({ scope, name, value }));

/** Number of rounds and of points: of these, what the rules do not play to is null. */
const isSaid = ({ scope, value }: Change): boolean => scope !== 'set' || value !== null;

/** Another ruleset brings options of its own, all at their usual values: they are not news one by one. */
export function changesOf(before: Settings, after: Settings): Change[] {
  const { variants: old_variants, options: old_options, ...old } = before;
  const { variants, options, ...table } = after;
  const are_other_rules = old.ruleset !== table.ruleset;
  return [
    ...differing('set', old as unknown as Values, table as unknown as Values).filter(isSaid),
    ...differing('variant', old_variants, variants),
    ...(are_other_rules ? [] : differing('option', old_options, options)),
  ];
}
