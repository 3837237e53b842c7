// Recorded or live events as a list of entries: one for each request with all its messages, one for each line that is not a message, and one
// for each message that belongs to no request. Entries are in the order of their start where possible. Memory is bounded: the bytes of
// messages stay in the flow, which forgets the oldest.

import { decodeText } from '../../base/decode-text.ts';
import { isObject } from '../../base/json-object.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { MessageDescription } from '../analysis/describe-frame.ts';
import { Descriptions } from '../analysis/describe-frame.ts';
import type { Exchange } from '../analysis/exchange.ts';
import { Exchanges } from '../analysis/exchanges.ts';
import { type LogEntry, logEntries } from '../analysis/log-entries.ts';
import { type FlowEvent, type FrameEvent, isOfClient } from '../flow/event.ts';

export interface ExchangeEntry {
  readonly type: 'exchange';
  readonly exchange: Exchange;
  /** The tool, prompt, resource or task of the request. */
  readonly target: string | undefined;
  /** The sequence numbers of the messages (request, progress, answer), at most MOST_SEQS. */
  readonly seqs: number[];
}

export interface LineEntry extends LogEntry {
  readonly type: 'line';
  readonly event: FlowEvent;
}

/** A notification, or an answer without a request. */
export interface MessageEntry {
  readonly type: 'message';
  readonly event: FrameEvent;
  readonly message: MessageDescription | undefined;
}

export type Entry = ExchangeEntry | LineEntry | MessageEntry;

export interface EntryOptions {
  /**
   * Limit of the entries that wait behind a pending request. Beyond it, the request is passed on out of order, after its answer. With 0,
   * this applies to every request.
   */
  mostHeld?: number;
  /** Passes requests on when they start; their outcome is filled in later. */
  atStart?: boolean;
  onEntry: (entry: Entry) => void;
}

const DEFAULT_HELD = 10_000;
/** Limit of the pending requests. Beyond it, the oldest ones are passed on as pending. */
const MOST_PENDING = 20_000;
const MOST_EXCHANGES = 50_000;
const MOST_SEQS = 1_000;
/** Memory for descriptions. A description is only used while its event is new. */
const DESCRIPTION_BYTES = 1024 * 1024;

export class Entries {
  readonly #onEntry: (entry: Entry) => void;
  readonly #mostHeld: number;
  readonly #atStart: boolean;
  readonly #descriptions = new Descriptions(DESCRIPTION_BYTES);
  readonly #describe = (frame: FrameEvent) => this.#descriptions.of(frame);
  readonly #exchanges = new Exchanges({ maxExchanges: MOST_EXCHANGES, describe: this.#describe });
  readonly #entries = new WeakMap<Exchange, ExchangeEntry>();
  #queue: Entry[] = [];
  #head = 0;
  /** Pending requests that are passed on out of order, after their answers. */
  readonly #overtaken = new Set<ExchangeEntry>();

  constructor({ mostHeld = DEFAULT_HELD, atStart = false, onEntry }: EntryOptions) {
    this.#mostHeld = mostHeld;
    this.#atStart = atStart;
    this.#onEntry = onEntry;
  }

  /** Requests without an outcome, oldest first. */
  get pending(): readonly ExchangeEntry[] {
    const held = this.#queue.slice(this.#head).filter((entry) => entry.type === 'exchange');
    return [...this.#overtaken, ...held].filter(isPending);
  }

  see(event: FlowEvent): void {
    const touched = this.#exchanges.see(event);
    if (event.kind === 'frame') this.#frame(event, touched);
    else for (const line of logEntries(event)) this.#add({ type: 'line', event, ...line });
    for (const exchange of touched) this.#settled(exchange);
    this.#release();
  }

  /** Passes on all held entries, including pending requests. */
  end(): void {
    for (const entry of this.#overtaken) this.#onEntry(entry);
    this.#overtaken.clear();
    for (const entry of this.#queue.slice(this.#head)) this.#onEntry(entry);
    this.#queue = [];
    this.#head = 0;
  }

  #frame(event: FrameEvent, touched: readonly Exchange[]): void {
    const { messages, noise } = this.#describe(event);
    if (noise !== undefined) {
      for (const line of logEntries(event, this.#describe)) this.#add({ type: 'line', event, ...line });
    }
    for (const exchange of touched) {
      if (exchange.requestSeq === event.seq) this.#add(this.#newEntry(exchange, event));
      const entry = this.#entries.get(exchange);
      if (entry && entry.seqs.length < MOST_SEQS && entry.seqs.at(-1) !== event.seq) entry.seqs.push(event.seq);
    }
    if (touched.length === 0 && (messages.length > 0 || noise === undefined || isOfClient(event))) {
      this.#add({ type: 'message', event, message: messages[0] });
    }
  }

  #newEntry(exchange: Exchange, event: FrameEvent): ExchangeEntry {
    const entry: ExchangeEntry = { type: 'exchange', exchange, target: targetOf(exchange, event), seqs: [] };
    this.#entries.set(exchange, entry);
    return entry;
  }

  #add(entry: Entry): void {
    this.#queue.push(entry);
  }

  #settled(exchange: Exchange): void {
    const entry = this.#entries.get(exchange);
    if (entry && !isPending(entry) && this.#overtaken.delete(entry)) this.#onEntry(entry);
  }

  #release(): void {
    while (this.#head < this.#queue.length) {
      const first = this.#queue[this.#head]!;
      if (this.#atStart || !isPending(first)) this.#onEntry(first);
      else if (this.#queue.length - this.#head > this.#mostHeld) this.#overtake(first as ExchangeEntry);
      else break;
      this.#head++;
    }
    if (this.#head < 1024 || this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #overtake(entry: ExchangeEntry): void {
    this.#overtaken.add(entry);
    if (this.#overtaken.size <= MOST_PENDING) return;
    const [oldest] = this.#overtaken;
    this.#overtaken.delete(oldest!);
    this.#onEntry(oldest!);
  }
}

export function isPending(entry: Entry): boolean {
  return entry.type === 'exchange' && entry.exchange.outcome === 'pending';
}

function targetOf({ method, tool, id }: Exchange, frame: FrameEvent): string | undefined {
  if (tool !== undefined) return tool;
  const parameter = methodsOfMcp.get(method)?.target?.parameter;
  if (parameter === undefined || frame.cut) return undefined;
  try {
    const parsed: unknown = JSON.parse(decodeText(frame.payload));
    const message = Array.isArray(parsed) ? parsed.find((each) => isObject(each) && each.id === id) : parsed;
    const params = isObject(message) && isObject(message.params) ? message.params : {};
    const target = params[parameter];
    return typeof target === 'string' ? target : undefined;
  } catch {
    return undefined; // the line has other text before the message
  }
}
