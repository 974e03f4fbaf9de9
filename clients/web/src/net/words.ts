import { t, tx } from '../i18n/i18n.svelte';
import type { ApiError } from './api';

/** A refusal of the HTTP part in words. */
export function apiText(error: ApiError): string {
  if (error.status === 0) return t('error.unreachable');
  return tx(`error.${error.status}`) ?? t('error.other', { detail: error.detail });
}

/** A name as the server takes it (PROTOCOL 2), or null. */
export function cleanName(text: string): string | null {
  const name = text.normalize('NFC').trim();
  const length = Array.from(name).length;
  return length >= 1 && length <= 24 && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name) ? name : null;
}
