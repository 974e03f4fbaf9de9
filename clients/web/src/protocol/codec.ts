import { decode, encode } from '@msgpack/msgpack';
import type { ClientMessage, ServerMessage } from './types';

/** The subprotocol this client offers: binary frames, one MessagePack map each (PROTOCOL 3). */
export const SUBPROTOCOL = 'rapid.v1.msgpack';

export function packed(message: ClientMessage): Uint8Array<ArrayBuffer> {
  return encode(message);
}

/** The message in a frame, or null when it is none that this client knows how to read. */
export function unpacked(frame: ArrayBuffer): ServerMessage | null {
  try {
    const message = decode(new Uint8Array(frame));
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
    return typeof (message as { t?: unknown }).t === 'string' ? (message as ServerMessage) : null;
  } catch {
    return null;
  }
}
