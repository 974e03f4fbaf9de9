// What this device remembers of its person. It is sent nowhere, but for the name when a seat is taken.
import { read, write } from '../net/seats';

export interface Profile {
  name: string;
  colour: number;
  faces: 'standard' | 'four' | 'large';
  felt: 'green' | 'blue' | 'plum' | 'slate';
  theme: 'auto' | 'light' | 'dark';
  motion: 'auto' | 'less';
  lang: string;
  words: 'polite' | 'plain';
}

const KEY = 'rapid.profile';

const DEFAULTS: Profile = {
  name: '',
  colour: 0,
  faces: 'standard',
  felt: 'green',
  theme: 'auto',
  motion: 'auto',
  lang: '',
  words: 'polite',
};

export const COLOURS = 8;

const CHOICES: { [K in keyof Profile]?: readonly string[] } = {
  faces: ['standard', 'four', 'large'],
  felt: ['green', 'blue', 'plum', 'slate'],
  theme: ['auto', 'light', 'dark'],
  motion: ['auto', 'less'],
  words: ['polite', 'plain'],
};

/** A profile out of stored text, whatever is in there. */
export function parseProfile(text: string | null): Profile {
  const profile = { ...DEFAULTS };
  let stored: Record<string, unknown> = {};
  try {
    stored = (JSON.parse(text ?? '{}') ?? {}) as Record<string, unknown>;
  } catch {
    return profile;
  }
  for (const key of Object.keys(DEFAULTS) as (keyof Profile)[]) {
    const value = stored[key];
    const choices = CHOICES[key];
    if (typeof value !== typeof DEFAULTS[key] || (choices && !choices.includes(value as string))) continue;
    Object.assign(profile, { [key]: value });
  }
  return profile;
}

class ProfileStore {
  value = $state.raw<Profile>(DEFAULTS);

  load(): void {
    this.value = parseProfile(read(KEY));
  }

  set(change: Partial<Profile>): void {
    this.value = { ...this.value, ...change };
    write(KEY, JSON.stringify(this.value));
  }

  /** Deletes all that this device keeps, but for the seat at the table that is open. */
  forget(open_table: string | null): void {
    try {
      const keys = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? '');
      for (const key of keys) {
        if (key.startsWith('rapid.') && key !== `rapid.seat.${open_table}`) localStorage.removeItem(key);
      }
      sessionStorage.clear();
    } catch {
      // Nothing was kept.
    }
    this.value = DEFAULTS;
  }
}

export const profile = new ProfileStore();
