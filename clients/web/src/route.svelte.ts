// Two places: `/`, the start page, and `/t/ID`, a table. Any other address is nowhere.
import { keepToken, tokenInHash } from './net/seats';

const START = /^\/(index\.html)?$/;
const TABLE = /^\/t\/([a-z0-9]{10,64})\/?$/;

class Route {
  table = $state.raw<string | null>(null);
  is_nowhere = $state.raw(false);
  /** the table was opened by "Play now": its game starts as soon as it can */
  start_at_once = false;

  /** Takes the address as it stands. A seat that came behind `#` is kept, and its secret leaves the address bar. */
  read(): void {
    this.start_at_once = false;
    const table = TABLE.exec(location.pathname)?.[1] ?? null;
    const token = tokenInHash(location.hash);
    if (table !== null && token !== null) {
      keepToken(table, token);
      history.replaceState(null, '', location.pathname);
    }
    this.table = table;
    this.is_nowhere = table === null && !START.test(location.pathname);
  }

  go(table: string | null, start_at_once = false): void {
    history.pushState(null, '', table === null ? '/' : `/t/${table}`);
    this.table = table;
    this.is_nowhere = false;
    this.start_at_once = start_at_once;
  }
}

/** The table in a code or a link that somebody typed or pasted, or null. */
export function tableIn(text: string): string | null {
  const trimmed = text.trim();
  const path = /\/t\/([a-z0-9]{10,64})(?:[/?#].*)?$/i.exec(trimmed)?.[1] ?? trimmed;
  return /^[a-z0-9]{10,64}$/i.test(path) ? path.toLowerCase() : null;
}

export const route = new Route();
route.read();
