// Replaces secrets in everything that the API sends, unless the request asks for them (`secrets=shown`). Values are cached by
// identity, because several pages follow the same calls.

import { decodeText } from '../../base/decode-text.ts';
import { isObject } from '../../base/json-object.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { type FlowEvent, type FrameEvent, fieldsOf } from '../../observe/flow/event.ts';
import { asItIs } from './views/event-rows.ts';

export interface Redaction {
  readonly text: Redact;
  /** Returns the same event if there is nothing to hide. `length` and `offset` keep the values of the pipe. */
  event(event: FlowEvent): FlowEvent;
  /** Returns a redacted copy of plain data. */
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
  const text = JSON.stringify(value, (key, member) => {
    if (key === 'argsText') return redact(String(member));
    if (key !== 'texts' || !isObject(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, json]) => [name, redact(String(json))]));
  });
  const redacted = redact(text);
  if (redacted === text && !/"(?:argsText|texts)":/.test(text)) return value;
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
  if (event.kind === 'frame') return redactFrame(event, redact);
  const changes: Record<string, unknown> = {};
  for (const { name, isBytes, secret } of fieldsOf(event.kind)!) {
    const value = event[name as keyof FlowEvent] as unknown;
    const kept = isBytes ? redactBytes(value as Uint8Array, redact) : secret && value ? redact(String(value)) : value;
    if (kept !== value) Object.assign(changes, { [name]: kept, ...(isBytes && { redacted: true }) });
  }
  return Object.keys(changes).length === 0 ? event : { ...event, ...changes };
}

function redactFrame(event: FrameEvent, redact: Redact): FrameEvent {
  // The fields of a frame may be getters, which a spread would not copy.
  const { seq, atMs, server, life, kind, direction, length, offset, cut, http } = event;
  const { payload: bytes, tail: end } = event;
  const [payload, tail] = [redactBytes(bytes, redact), end && redactBytes(end, redact)];
  if (payload === bytes && tail === end) return event;
  return { seq, atMs, server, life, kind, direction, length, offset, cut, payload, tail, http, redacted: true };
}

/** Returns the same bytes if there is nothing to hide. Otherwise bytes that are not UTF-8 are lost: safety before exactness. */
function redactBytes(bytes: Uint8Array, redact: Redact): Uint8Array {
  const text = decodeText(bytes);
  const redacted = redact(text);
  return redacted === text ? bytes : new TextEncoder().encode(redacted);
}
