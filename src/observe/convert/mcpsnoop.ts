// Session logs of mcpsnoop: one line for each message or line of stderr, with the name of the server and the id of the session.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { type CapturedFact, type CaptureReader, messageFact } from './captured-fact.ts';
import { memberText } from './member-text.ts';

const directions = { c2s: 'toServer', s2c: 'fromServer' } as const;
/** The most sessions and connections that are told apart. */
const MOST_LIVES = 10_000;

export class Mcpsnoop implements CaptureReader {
  readonly #lives = new Map<string, number>();

  read(line: JsonObject, json: string): readonly CapturedFact[] | string {
    const { session_id, server_label, ts, direction, text, conn_id } = line;
    const dateMs = typeof ts === 'string' ? Date.parse(ts) : Number.NaN;
    if (typeof session_id !== 'string' || Number.isNaN(dateMs)) return 'Not an event of mcpsnoop';
    const server = typeof server_label === 'string' && server_label !== '' ? server_label : 'server';
    const life = this.#lifeOf(`${session_id} ${typeof conn_id === 'string' ? conn_id : ''}`);
    const fact = factOf(line, direction, text, json);
    return typeof fact === 'string' ? fact : [{ dateMs, server, life, fact }];
  }

  #lifeOf(key: string): number {
    const known = this.#lives.get(key);
    if (known !== undefined || this.#lives.size >= MOST_LIVES) return known ?? MOST_LIVES;
    this.#lives.set(key, this.#lives.size + 1);
    return this.#lives.size;
  }
}

function factOf(line: JsonObject, direction: unknown, text: unknown, json: string): CapturedFact['fact'] | string {
  if (direction === 'meta') return { kind: 'note', text: `Recorded by mcpsnoop: ${commandOf(line.raw)}` };
  if (direction === 'stderr') {
    if (typeof text !== 'string') return 'Its text is missing';
    const payload = new TextEncoder().encode(`${text}\n`);
    return { kind: 'stderr', length: payload.length, payload };
  }
  if (direction !== 'c2s' && direction !== 's2c') return `Its direction ${JSON.stringify(direction)} is unknown`;
  const raw = line.raw === undefined ? undefined : memberText(json, 'raw');
  const message = raw ?? text;
  if (typeof message !== 'string') return 'Its message is missing';
  const fact = messageFact(directions[direction], message, line.redacted === true || undefined);
  return line.truncated === true ? ({ ...fact, cut: true } as CapturedFact['fact']) : fact;
}

function commandOf(raw: unknown): string {
  const command = isObject(raw) && Array.isArray(raw.command) ? raw.command : [];
  return command.map(String).join(' ') || 'unknown command';
}
