// Which address is which place.
import { beforeAll, describe, expect, test, vi } from 'vitest';

const HERE = { pathname: '/', hash: '' };
let route: typeof import('../src/route.svelte').route;

beforeAll(async () => {
  vi.stubGlobal('location', HERE);
  vi.stubGlobal('history', { pushState: () => undefined, replaceState: () => undefined });
  ({ route } = await import('../src/route.svelte'));
});

function at(pathname: string): { table: string | null; is_nowhere: boolean } {
  HERE.pathname = pathname;
  route.read();
  return { table: route.table, is_nowhere: route.is_nowhere };
}

describe('an address', () => {
  test.each(['/', '/index.html'])('%s is the start page', (path) => expect(at(path)).toEqual({ table: null, is_nowhere: false }));
  test.each(['/t/abcdefghij', '/t/abcdefghij23/'])('%s is a table', (path) => expect(at(path)).toMatchObject({ is_nowhere: false, table: /[a-z]+\d*/.exec(path.slice(3))?.[0] }));
  test.each(['/t/', '/t', '/t/abc', '/nosuch', '/t/abcdefghij/x', '/index.htm'])('%s is nowhere', (path) => expect(at(path)).toEqual({ table: null, is_nowhere: true }));

  test.each([null, 'abcdefghij23'])('from nowhere one gets to %s', (table) => {
    at('/nosuch');
    route.go(table);
    expect([route.table, route.is_nowhere]).toEqual([table, false]);
  });
});
