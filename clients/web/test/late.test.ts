// By how much a race was lost: the server counts whole milliseconds, and less than one of them is told as that.
import { describe, expect, test } from 'vitest';
import { feedLines } from '../src/i18n/feed';
import { outcomeText } from '../src/i18n/outcome';
import { lateMark } from '../src/i18n/words';
import { event, seat, speaks, view } from './helpers';

const table = view({ seats: [seat(0, { name: 'Ana' }), seat(1, { name: 'Ben' })] });

function told(late_ms: number): string[] {
  const late = { id: 1, why: 'stale', late_ms };
  return [
    outcomeText({ ...late, kind: 'beaten', by: 1 }, table),
    outcomeText({ ...late, kind: 'beaten', by: table.you?.seat ?? 0 }, table),
    outcomeText({ ...late, kind: 'too_late' }, table),
    ...feedLines(event(11, 'race_lost', { seat: 1, on: 10, late_ms }), table).map((line) => line.text),
    lateMark(late_ms),
  ];
}

const LANGUAGES: [string, string, string[]][] = [
  ['en', 'less than 1 ms', ['Ben was faster by 7 ms', 'You had already played, 7 ms before', 'The trick had closed 7 ms before', 'Ben was 7 ms late', '+7 ms']],
  ['es', 'menos de 1 ms', ['Ben se adelantó por 7 ms', 'Ya habías jugado 7 ms antes', 'La baza se había cerrado 7 ms antes', 'Ben llegó 7 ms tarde', '+7 ms']],
];

describe.each(LANGUAGES)('%s', (lang, least, lines) => {
  test('so many milliseconds', async () => {
    await speaks(lang);
    expect(told(7)).toEqual(lines);
  });

  test('less than one, never none', async () => {
    await speaks(lang);
    expect(told(0)).toEqual([...lines.slice(0, -1).map((line) => line.replace('7 ms', least)), '< 1 ms']);
  });
});
