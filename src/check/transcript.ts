// The traffic over the pipes of one process, in order: the evidence of a verdict. Bytes are kept unchanged.

import { isObject, type JsonObject } from '../base/json-object.ts';
import { ENTRY_BYTES } from './budget.ts';
import { parsed } from './parsed-json.ts';

export type EntryKind =
  /** Bytes of one write to the process under test. */
  | 'sent'
  /** One message from the process: a line without its newline. */
  | 'received'
  | 'stderr'
  /** An event of the process: start, end of stdin, signal, exit. */
  | 'event';

export interface Entry {
  readonly kind: EntryKind;
  /** The bytes; for an event, its text in UTF-8. */
  readonly bytes: Uint8Array;
  /** All lines of a message that was written over several lines. This entry is the last. */
  readonly lines?: readonly Entry[];
}

/** The text of an event. */
export const STDIN_ENDED = 'stdin ended';

const transcripts = new WeakMap<Entry, Transcript>();

export class Transcript {
  readonly entries: Entry[] = [];
  readonly #onentry: (entry: Entry) => boolean;

  /** `onentry`: called before each entry. If it returns false, the entry is dropped. */
  constructor(onentry: (entry: Entry) => boolean = () => true) {
    this.#onentry = onentry;
  }

  add(kind: EntryKind, bytes: Uint8Array): Entry {
    const entry = { kind, bytes };
    this.push(entry);
    return entry;
  }

  push(entry: Entry): void {
    if (!this.#onentry(entry)) return;
    this.entries.push(entry);
    transcripts.set(entry, this);
  }

  /** Keeps only the first entries, up to this many bytes. */
  cut(bytes: number): void {
    let end = 0;
    for (let left = bytes; end < this.entries.length; end++) {
      left -= ENTRY_BYTES + this.entries[end]!.bytes.length; // an entry without bytes counts too
      if (left < 0) break;
    }
    this.entries.length = end;
  }

  event(text: string): void {
    this.add('event', Buffer.from(text));
  }
}

/**
 * If the entries do not include a sent message, adds the cause before each received entry: the request with its id; for an answer without an id the last
 * message without an answer; otherwise the last sent entry, or the end of stdin.
 */
export function withCauses(entries: readonly Entry[]): Entry[] {
  const hasCauses = entries.some(({ kind }) => kind === 'sent');
  const causes = (entry: Entry) => (hasCauses || entry.kind !== 'received' ? [] : causeOf(entry));
  return [...new Set(entries.flatMap((entry) => [...causes(entry), ...(entry.lines ?? [entry])]))];
}

function causeOf(entry: Entry): Entry[] {
  const entries = transcripts.get(entry)?.entries ?? [];
  const earlier = entries.slice(0, Math.max(0, entries.indexOf(entry)));
  const before = earlier.filter(({ kind }) => kind === 'sent');
  const [message] = messagesIn(entry);
  const id = JSON.stringify(message?.id);
  const isRequest = ({ bytes }: Entry) => [',', '}'].some((end) => Buffer.from(bytes).includes(`"id":${id}${end}`));
  const request = id === undefined ? undefined : before.findLast(isRequest);
  const isAnswered = answeredIn(entries);
  const anonymous =
    id === 'null' || isAnswerWithoutId(message) ? before.findLast((sent) => !isAnswered(sent)) : undefined;
  const cause = request ?? anonymous ?? earlier.findLast((each) => each.kind === 'sent' || isEndOfStdin(each));
  return cause ? [cause] : [];
}

function isEndOfStdin({ kind, bytes }: Entry): boolean {
  return kind === 'event' && Buffer.from(bytes).toString() === STDIN_ENDED;
}

/** Whether a message, or each request of a batch, was answered with its id. */
function answeredIn(entries: readonly Entry[]): (sent: Entry) => boolean {
  const messages = entries.filter(({ kind }) => kind === 'received').flatMap(messagesIn);
  const answered = new Set(messages.filter(({ method }) => method === undefined).map(({ id }) => JSON.stringify(id)));
  return ({ bytes }) => {
    const lines = Buffer.from(bytes).toString('utf8').trimEnd().split('\n');
    const asked = lines.flatMap((line) => parsed(line)).filter(isObject);
    return asked.length > 0 && asked.every(({ id }) => id != null && answered.has(JSON.stringify(id)));
  };
}

function isAnswerWithoutId(message: JsonObject | undefined): boolean {
  return message !== undefined && message.id === undefined && message.method === undefined;
}

/** Protocols keep the message in their entries. Messages in a line that is not JSON are recovered. */
function messagesIn(entry: Entry & { readonly [kept in 'json' | 'message' | 'recovered']?: unknown }): JsonObject[] {
  return [entry.json ?? entry.message ?? entry.recovered].flat().filter(isObject);
}
