// The seats this device holds, one token a table. A token goes only on a final refusal (issue, "Connection").

const PREFIX = 'rapid.seat.';

export function tokenFor(table: string): string | null {
  return read(PREFIX + table);
}

export function keepToken(table: string, token: string): void {
  write(PREFIX + table, token);
}

/** The tables at which this device holds a seat. */
export function seatedTables(): string[] {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? '');
    return keys.filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

export function dropToken(table: string): void {
  try {
    localStorage.removeItem(PREFIX + table);
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}

/** The link that takes a seat to another device; the token stands behind `#`, so no server or log ever sees it. */
export const seatLink = (origin: string, table: string, token: string): string =>
  `${origin}/t/${table}#seat=${encodeURIComponent(token)}`;

export function tokenInHash(hash: string): string | null {
  const found = /^#seat=(.{1,200})$/.exec(hash);
  return found?.[1] === undefined ? null : decodeURIComponent(found[1]);
}

export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows may keep nothing: the page works for as long as it stays open.
  }
}
