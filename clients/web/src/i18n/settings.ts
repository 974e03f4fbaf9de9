// A setting and its value in the words of the settings form.
import type { Change } from '../play/changes';
import type { OptionValue } from '../protocol/types';
import { t, tx } from './i18n.svelte';

/** Words that the form has under other keys. */
const OTHERWISE: Record<string, string> = { ruleset: 'ruleset', mode: 'mode', bot_level: 'lobby.level', rounds: 'set' };

function valueText({ scope, name, value }: Change, seatText: (seat: number) => string): string {
  if (typeof value === 'boolean') return t(value ? 'rules.on' : 'rules.off');
  if (value === null) return t('lobby.settings.none');
  if (name === 'first_dealer') return seatText(Number(value));
  return tx(`${scope}.${name}.${value}`) ?? tx(`${OTHERWISE[name]}.${value}`) ?? plain(value);
}

const plain = (value: OptionValue): string => String(value).replaceAll('_', ' ');

/** “Mode” to Turns */
export function changeText(change: Change, seatText: (seat: number) => string): string {
  const name = tx(`${change.scope}.${change.name}`) ?? plain(change.name);
  return t('feed.setting', { name, value: valueText(change, seatText) });
}
