// Cassettes of mcp-cassette, versions 1 and 2: a header, then messages, lines that are not messages, and streams of messages.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { maskedUrl } from '../../base/secrets/mask-http.ts';
import { type CapturedFact, type CaptureReader, messageFact } from './captured-fact.ts';
import { memberText } from './member-text.ts';

const NEWEST_VERSION = 2;
const directions = { c2s: 'toServer', s2c: 'fromServer' } as const;

export class McpCassette implements CaptureReader {
  #startMs = 0;
  #server = 'server';
  #isUnknown = false;

  read(line: JsonObject, json: string): readonly CapturedFact[] | string {
    if (line.type === 'header') return this.#header(line);
    if (this.#isUnknown) return 'Its version is unknown';
    const { type, t, dir } = line;
    if (typeof t !== 'number' || (dir !== 'c2s' && dir !== 's2c')) return 'Not an entry of a cassette';
    if (type === 'frame') {
      const text = isObject(line.frame) ? memberText(json, 'frame') : undefined;
      return text === undefined ? 'Its frame is missing' : [this.#message(t, dir, text)];
    }
    if (type === 'raw')
      return typeof line.data === 'string' ? [this.#message(t, dir, line.data)] : 'Its data is missing';
    if (type === 'chunks') return this.#stream(line.chunks, dir);
    return `Its type ${JSON.stringify(type)} is unknown`;
  }

  #header({ cassetteVersion, startedAt, command, url }: JsonObject): readonly CapturedFact[] | string {
    this.#isUnknown = !(Number(cassetteVersion) >= 1 && Number(cassetteVersion) <= NEWEST_VERSION);
    if (this.#isUnknown) return `The version ${JSON.stringify(cassetteVersion)} of the cassette is unknown`;
    const startMs = typeof startedAt === 'string' ? Date.parse(startedAt) : Number.NaN;
    this.#startMs = Number.isNaN(startMs) ? 0 : startMs;
    const words = Array.isArray(command) ? command.map(String) : [];
    this.#server = nameOf(words, url);
    const what = typeof url === 'string' ? maskedUrl(url) : words.join(' ') || 'unknown command';
    return [this.#at(0, { kind: 'note', text: `Recorded by mcp-cassette: ${what}` })];
  }

  /** A stream is written when it ends, and its messages have their own times. The text of these is not kept apart. */
  #stream(chunks: unknown, dir: 'c2s' | 's2c'): readonly CapturedFact[] | string {
    if (!Array.isArray(chunks)) return 'Its chunks are missing';
    const whole = chunks.filter((each) => isObject(each) && typeof each.t === 'number' && isObject(each.frame));
    if (whole.length < chunks.length) return 'One of its chunks is not a message';
    return whole.map(({ t, frame }) => this.#message(t, dir, JSON.stringify(frame)));
  }

  #message(t: number, dir: 'c2s' | 's2c', text: string): CapturedFact {
    return this.#at(t, messageFact(directions[dir], text));
  }

  #at(t: number, fact: CapturedFact['fact']): CapturedFact {
    return { dateMs: this.#startMs + t, server: this.#server, life: 1, fact };
  }
}

/** The host of the URL, or the last word of the command that names a program or a file. */
function nameOf(command: readonly string[], url: unknown): string {
  if (typeof url === 'string' && URL.canParse(url)) return new URL(url).host || 'server';
  const named = command.filter((word) => !word.startsWith('-')).slice(0, 3);
  const last = named.at(-1)?.split(/[\\/]/).at(-1) ?? '';
  return last.replace(/\.\w{1,4}$/, '').slice(0, 100) || 'server';
}
