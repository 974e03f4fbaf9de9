import type { OptionValue, Settings } from '../protocol/types';

export interface TableRow {
  table: string;
  phase: string;
  mode: string;
  ruleset: string;
  people: number;
  bots: number;
  seats: number;
  spectators: number;
  round: number | null;
}

export interface RulesetOption {
  name: string;
  type: 'boolean' | 'choice' | 'integer' | 'seat';
  choices?: string[];
  min?: number;
  max?: number;
  default: OptionValue;
  needs?: Record<string, OptionValue>;
  choice_needs?: Record<string, Record<string, OptionValue>>;
  excludes?: string[];
  not_in?: string[];
  help: string;
}

export interface RulesetRow {
  ruleset: string;
  seats: { min: number; max: number };
  modes: string[];
  deck: unknown;
  plays_to: 'rounds' | 'target';
  direction: string;
  variants: string[];
  roles: Record<string, string[]>;
  defaults: Partial<Settings>;
  options: RulesetOption[];
  /** whether the game may go on until the host ends it, instead of to a target */
  endless?: boolean;
  /** what may happen to a lost connection's chair */
  disconnect?: string[];
  variants_not_in?: Record<string, string[]>;
}

export interface Taken {
  table: string;
  seat: number;
  token: string;
}

/** A refusal of the HTTP part: RFC 9457, or no answer at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly errors: { field: string; message: string }[],
  ) {
    super(detail);
  }
}

async function call<T>(path: string, body?: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, 'unreachable', []);
  }
  const data = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  if (answer.ok) return data as T;
  const { detail, title, errors } = data as { detail?: string; title?: string; errors?: ApiError['errors'] };
  throw new ApiError(answer.status, detail ?? title ?? answer.statusText, errors ?? []);
}

export const openTable = (name: string, bots: number, settings: Partial<Settings>): Promise<Taken> =>
  call('/api/tables', { name, bots, settings });
export const publicTables = async (): Promise<TableRow[]> =>
  (await call<{ tables: TableRow[] }>('/api/tables')).tables;
export const tableRow = (table: string): Promise<TableRow> => call(`/api/tables/${table}`);
export const takeSeat = (table: string, name: string): Promise<Taken> => call(`/api/tables/${table}/seats`, { name });
export const rulesets = async (): Promise<RulesetRow[]> =>
  (await call<{ rulesets: RulesetRow[] }>('/api/rulesets')).rulesets;
