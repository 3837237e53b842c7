// What the readers of captures of other programs find.

import type { JsonObject } from '../../base/json-object.ts';
import type { FlowFact } from '../flow/event.ts';

/** What a line of a capture says. */
export interface CapturedFact {
  /** Milliseconds since 1970. */
  readonly dateMs: number;
  readonly server: string;
  readonly life: number;
  readonly fact: FlowFact;
}

/** Reads the lines of one capture in order. */
export interface CaptureReader {
  /** Returns the facts of the line, or what is wrong with it. `json`: the text of the line. */
  read(line: JsonObject, json: string): readonly CapturedFact[] | string;
}

const masked = /\[REDACTED(?::[a-z]+:[0-9a-f]{8})?\]/;

/** A message as a frame. `isMasked`: the program has replaced secrets in it. */
export function messageFact(
  direction: 'toServer' | 'fromServer',
  text: string,
  isMasked = masked.test(text),
): FlowFact {
  const payload = new TextEncoder().encode(text);
  return { kind: 'frame', direction, payload, length: payload.length, ...(isMasked && { redacted: true }) };
}
