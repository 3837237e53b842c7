// What there is to see of one source: its events as rows, its requests with what became of them, its processes, its
// problems. Reads the flow behind the traffic's back, a batch at a time; and of traffic that runs in this process it reads
// only the start of each server while nobody looks: the rest is read when somebody does, as far as the store still has it.

import { describe } from '../../analysis/describe.ts';
import { type Exchange, latencyMs } from '../../analysis/exchange.ts';
import { LatencyPoints } from '../../analysis/latency-points.ts';
import { Lives } from '../../analysis/lives.ts';
import { OpenRequests } from '../../analysis/lost-requests.ts';
import { Pairs } from '../../analysis/pairs.ts';
import { Problems } from '../../analysis/problems.ts';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import type { FlowEvent } from '../../flow/event.ts';
import { redactor } from '../../secrets/redact.ts';
import type { EventPage, EventRow, InspectedServer, LatencyReport, LiveMessages, Overview } from '../api.ts';
import { type Redaction, redactionBy } from '../redaction.ts';
import type { InspectorSource } from '../sources/source.ts';
import { toRow, toUpdate } from './event-rows.ts';

/** What has become different since the last time. */
export interface ViewChange {
  /** Rows that an answer, a cancel or an end has changed. */
  updated: Set<number>;
  servers: boolean;
  problems: boolean;
}

export interface PageQuery {
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
}

const FLUSH_MS = 50;
const FLUSH_EVENTS = 500;
/** How many events are read before everybody else gets their turn. */
const BATCH_EVENTS = 1_000;
/** Most of what goes wrong goes wrong at the start. */
const START_EVENTS = 500;
const MOST_VIOLATIONS = 10_000;
export const MOST_PAGE_ROWS = 5_000;

export class InspectorView {
  readonly source: InspectorSource;
  /** What pages see unless they ask for the secrets. */
  readonly masked: Redaction;
  readonly exchanges = new Pairs();
  readonly lives = new Lives();
  readonly problems = new Problems();
  /** How many pages look. */
  watchers = 0;
  onChange: (change: ViewChange) => void = () => undefined;
  readonly #points = new LatencyPoints();
  readonly #open = new OpenRequests();
  readonly #clock: Clock;
  readonly #unsubscribe: () => void;
  /** Events that are counted among the problems already. */
  readonly #violations = new Set<number>();
  #seenSeq = 0;
  #startUntilSeq = 0;
  #waiting = 0;
  #timer: Timer | undefined;
  #change: ViewChange = noChange();

  constructor(source: InspectorSource, clock: Clock = systemClock) {
    this.source = source;
    this.masked = redactionBy(source.redact ?? redactor());
    this.#clock = clock;
    this.#unsubscribe = source.flow.subscribe((event) => this.#somethingHappened(event));
    if (source.flow.lastSeq > 0) this.#schedule(0);
  }

  close(): void {
    this.#unsubscribe();
    this.#timer?.cancel();
  }

  async overview(redaction: Redaction): Promise<Overview> {
    const { kind, title, startedAt, live, flow, host, lost = 0 } = this.source;
    const servers = await this.servers(redaction);
    return {
      source: { kind, title: redaction.text(title), startedAt: startedAt.toISOString(), live },
      servers,
      canAct: host !== undefined,
      dropped: { events: flow.dropped.events + lost, bytes: flow.dropped.bytes },
      totalEvents: flow.lastSeq,
      problems: redaction.value(this.problems.list()),
    };
  }

  async servers(redaction: Redaction): Promise<InspectedServer[]> {
    await this.caughtUp();
    const statuses = (await this.source.host?.status()) ?? [];
    const byName = new Map(statuses.map((status) => [status.name, status]));
    const names = new Set([...byName.keys(), ...this.lives.servers]);
    return [...names].map((name) => ({
      name,
      status: redaction.value(byName.get(name)),
      lives: this.lives.of(name, redaction.text),
      reach: redaction.value(this.source.reach?.(name)),
    }));
  }

  /** The rows behind `after` and before `before`, oldest first; without `after`, the newest that there are. */
  async page({ after, before, limit }: PageQuery, redaction: Redaction): Promise<EventPage> {
    await this.caughtUp();
    const { flow } = this.source;
    const end = Math.min(before ?? Number.POSITIVE_INFINITY, this.#seenSeq + 1);
    const start = after ?? Math.max(0, end - 1 - limit);
    const events = flow.since(start, limit).filter(({ seq }) => seq < end);
    const rows = events.map((event) => this.row(event, redaction));
    const answered = rows.filter(({ pairSeq }) => pairSeq !== undefined && pairSeq <= start);
    return {
      rows,
      updates: this.updates(
        answered.map(({ pairSeq }) => pairSeq!),
        redaction,
      ),
      newest: this.#seenSeq,
      oldest: flow.lastSeq - flow.size + 1,
    };
  }

  row(event: FlowEvent, { text }: Redaction): EventRow {
    return toRow(event, this.exchanges, text);
  }

  updates(seqs: Iterable<number>, { text }: Redaction): LiveMessages['updates'] {
    return [...new Set(seqs)].map((seq) => toUpdate(seq, this.exchanges, text));
  }

  async latency(): Promise<LatencyReport> {
    await this.caughtUp();
    return { rows: this.exchanges.latencyRows(), points: this.#points.list() };
  }

  /** The newest event that was read: rows behind it are not known yet. */
  get seenSeq(): number {
    return this.#seenSeq;
  }

  /** Resolves when all that has happened until now was read. */
  async caughtUp(): Promise<void> {
    const { lastSeq } = this.source.flow;
    this.#catchUp();
    while (this.#seenSeq < lastSeq) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#catchUp();
    }
  }

  #catchUp(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting = 0;
    for (const event of this.source.flow.since(this.#seenSeq, BATCH_EVENTS)) {
      this.#seenSeq = event.seq;
      this.#see(event);
    }
    const lost = this.#open.takeLost(this.#clock.nowMs());
    for (const { server, requestSeq } of lost) this.#noteProblem('unanswered', server, requestSeq);
    if (this.#seenSeq < this.source.flow.lastSeq) this.#schedule(0);
    else if (this.#open.hasSuspects) this.#schedule(FLUSH_MS);
    this.#tell();
  }

  /** Something is wrong that only a closer look could find. */
  noteViolation(event: FlowEvent, first: string): void {
    if (this.#violations.has(event.seq) || this.#violations.size >= MOST_VIOLATIONS) return;
    this.#violations.add(event.seq);
    this.#noteProblem('schema-violation', event.server, event.seq, first);
    this.#tell();
  }

  #noteProblem(...[kind, server, seq, detail]: Parameters<Problems['note']>): void {
    this.problems.note(kind, server, seq, detail);
    this.#change.problems = true;
  }

  #somethingHappened(event: FlowEvent): void {
    if (event.kind === 'spawn') this.#startUntilSeq = event.seq + START_EVENTS;
    if (this.#canWait(event)) return;
    this.#waiting++;
    if (this.#waiting === FLUSH_EVENTS) this.#schedule(0);
    else if (!this.#timer) this.#schedule(FLUSH_MS);
  }

  /** Traffic that goes its way, and nobody looks. */
  #canWait({ kind, seq }: FlowEvent): boolean {
    if (!this.source.isOurs || this.watchers > 0 || seq <= this.#startUntilSeq) return false;
    return kind === 'frame' || kind === 'stderr';
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(delayMs, () => this.#catchUp());
    this.#timer.keepAlive(false);
  }

  #tell(): void {
    const change = this.#change;
    this.#change = noChange();
    this.onChange(change);
  }

  #see(event: FlowEvent): void {
    this.exchanges.see(event);
    if (this.lives.see(event)) this.#change.servers = true;
    if (this.problems.see(event)) this.#change.problems = true;
    for (const exchange of this.exchanges.forSeq(event.seq)) {
      this.#paired(exchange, event.seq);
      if (hasIdAsText(event, exchange)) this.noteViolation(event, ID_AS_TEXT);
    }
    if (event.kind !== 'exit') return;
    for (const { requestSeq } of this.#open.end(event, this.#clock.nowMs())) this.#change.updated.add(requestSeq);
  }

  #paired(exchange: Exchange, seq: number): void {
    if (seq === exchange.requestSeq) this.#open.add(exchange);
    if (seq !== exchange.answerSeq && seq !== exchange.cancelSeq) return;
    if (seq === exchange.answerSeq && exchange.direction === 'toServer') this.lives.answered(exchange);
    this.#open.remove(exchange);
    this.#change.updated.add(exchange.requestSeq);
    const latency = latencyMs(exchange);
    if (seq === exchange.answerSeq && latency !== undefined) this.#points.add(exchange, latency);
  }
}

const ID_AS_TEXT =
  'An answer has the id of its request as text ("1" for 1). Most clients do not find the request then. Copy the id with its type.';

function hasIdAsText(event: FlowEvent, { id, answerSeq }: Exchange): boolean {
  if (event.kind !== 'frame' || event.seq !== answerSeq || typeof id !== 'number') return false;
  return describe(event).messages.some((message) => message.id === String(id));
}

function noChange(): ViewChange {
  return { updated: new Set(), servers: false, problems: false };
}
