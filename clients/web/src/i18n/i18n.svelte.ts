// Texts by key, from one plain file a language. A third language is one more file in `locales/`.
import type en from './locales/en.json';

export type Key = keyof typeof en;
export type Params = Record<string, string | number>;
export type Texts = Record<string, string>;

const FILES = import.meta.glob<{ default: Texts }>('./locales/*.json');

export const languages: string[] = Object.keys(FILES).map((path) => path.slice('./locales/'.length, -'.json'.length));

const plurals = new Map<string, Intl.PluralRules>();

/** Costly to make, so made once a language. */
function pluralsOf(lang: string): Intl.PluralRules {
  const rules = plurals.get(lang) ?? new Intl.PluralRules(lang);
  plurals.set(lang, rules);
  return rules;
}

/** The text with its `{name}`s filled in; `{n|one|many}` picks by the plural rules of the language. */
export function fill(text: string, params: Params, lang: string): string {
  if (!text.includes('{')) return text;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = params[name] ?? '';
    if (one === undefined) return String(value);
    return pluralsOf(lang).select(Number(value)) === 'one' ? one : (many ?? '');
  });
}

class Locale {
  lang = $state('en');
  private texts = $state.raw<Texts>({});

  /** Loads the language asked for, else the browser's, else English. */
  async load(wanted: string): Promise<void> {
    const asked = [wanted, ...(navigator.languages ?? [])].map((tag) => tag.slice(0, 2).toLowerCase());
    const lang = asked.find((tag) => languages.includes(tag)) ?? 'en';
    const file = FILES[`./locales/${lang}.json`];
    if (file === undefined) return;
    this.texts = (await file()).default;
    this.lang = lang;
    document.documentElement.lang = lang;
  }

  t(key: Key, params: Params = {}): string {
    return this.tx(key, params) ?? key;
  }

  /** A text by a key that is put together at run time: null if there is none. */
  tx(key: string, params: Params = {}): string | null {
    const text = this.texts[key];
    return text === undefined ? null : fill(text, params, this.lang);
  }
}

export const locale = new Locale();
export const t = (key: Key, params?: Params): string => locale.t(key, params);
export const tx = (key: string, params?: Params): string | null => locale.tx(key, params);
