// Replaces secrets in everything that the API sends, unless the request asks for them (`secrets=shown`). Values are cached by
// identity, because several pages follow the same calls.

import { decodeText } from '../base/decode-text.ts';
import type { FlowEvent } from '../flow/event.ts';
import type { Redact } from '../secrets/redact.ts';
import { asItIs } from './views/event-rows.ts';

export interface Redaction {
  readonly text: Redact;
  /** Returns the same event if there is nothing to hide. `length` and `offset` keep the values of the pipe. */
  event(event: FlowEvent): FlowEvent;
  /** A copy of plain data. */
  value<T>(value: T): T;
}

export const nothingRedacted: Redaction = {
  text: asItIs,
  event: (event) => event,
  value: (value) => value,
};

/** Addresses that the page needs unchanged, to read a resource or open a link. */
const addresses = new Set(['uri', 'uriTemplate', 'url']);

export function redactionBy(redact: Redact): Redaction {
  const known = new WeakMap<object, object>();
  return {
    text: redact,
    event: (event) => redactEvent(event, redact),
    value<T>(value: T): T {
      if (typeof value !== 'object' || value === null) return value;
      let found = known.get(value);
      if (!found) {
        found = redactValue(value, redact);
        known.set(value, found);
      }
      return found as T;
    },
  };
}

function redactValue(value: object, redact: Redact): object {
  const text = JSON.stringify(value, (key, member) => (key === 'argsText' ? redact(String(member)) : member));
  const redacted = redact(text);
  if (redacted === text && !text.includes('"argsText":')) return value;
  return withAddressesOf(value, JSON.parse(redacted)) as object;
}

function withAddressesOf(original: unknown, redacted: unknown): unknown {
  if (typeof original !== 'object' || original === null || typeof redacted !== 'object' || redacted === null) {
    return redacted;
  }
  const [from, to] = [original, redacted] as Record<string, unknown>[];
  for (const key of Object.keys(to!)) {
    to![key] = addresses.has(key) ? from![key] : withAddressesOf(from![key], to![key]);
  }
  return redacted;
}

function redactEvent(event: FlowEvent, redact: Redact): FlowEvent {
  switch (event.kind) {
    case 'frame': {
      // The fields of a frame may be getters, which a spread would not copy.
      const { seq, atMs, server, life, kind, direction, length, offset, cut, http } = event;
      const { payload: bytes, tail: end } = event;
      const [payload, tail] = [redactBytes(bytes, redact), end && redactBytes(end, redact)];
      if (payload === bytes && tail === end) return event;
      return { seq, atMs, server, life, kind, direction, length, offset, cut, payload, tail, http, redacted: true };
    }
    case 'stderr': {
      const payload = redactBytes(event.payload, redact);
      return payload === event.payload ? event : { ...event, payload, redacted: true };
    }
    case 'fault': {
      const prefix = redactBytes(event.prefix, redact);
      return prefix === event.prefix ? event : { ...event, prefix, redacted: true };
    }
    case 'spawn':
      return { ...event, command: redact(event.command) };
    case 'state':
      return { ...event, reason: event.reason && redact(event.reason) };
    case 'error':
      return { ...event, message: redact(event.message) };
    case 'note':
      return { ...event, text: redact(event.text) };
    case 'client':
      return { ...event, name: event.name && redact(event.name), version: event.version && redact(event.version) };
    case 'remote':
      return { ...event, url: redact(event.url), reason: event.reason && redact(event.reason) };
    case 'http': {
      const { url, requestHeaders, responseHeaders, reason } = event;
      const texts = { requestHeaders, responseHeaders, reason };
      const redacted = Object.entries(texts).map(([name, text]) => [name, text && redact(text)]);
      return { ...event, url: redact(url), ...Object.fromEntries(redacted) };
    }
    default:
      return event;
  }
}

/** Returns the same bytes if there is nothing to hide. Otherwise bytes that are not UTF-8 are lost: safety before exactness. */
function redactBytes(bytes: Uint8Array, redact: Redact): Uint8Array {
  const text = decodeText(bytes);
  const redacted = redact(text);
  return redacted === text ? bytes : new TextEncoder().encode(redacted);
}
