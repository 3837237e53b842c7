// The view of one source: its events as rows, its requests with their outcomes, its processes, its problems. The flow is read in
// batches, outside the path of the traffic. While no page is open, only the start of each server is read for traffic in this process;
// the rest is read when a page opens, unless the store has dropped it.

import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { redactor } from '../../../base/secrets/redact.ts';
import { methodsOfMcp } from '../../../mcp/methods.ts';
import { Analysis, type AnalysisChange } from '../../../observe/analysis/analysis.ts';
import type { Exchange, Origin } from '../../../observe/analysis/exchange.ts';
import { eventProblems } from '../../../observe/analysis/schema-check.ts';
import type { FlowEvent, FlowKind } from '../../../observe/flow/event.ts';
import type {
  ClientSummary,
  EventPage,
  EventRow,
  InspectedServer,
  LatencyReport,
  LiveMessages,
  Overview,
} from '../api.ts';
import { OwnRequests } from '../calls/own-requests.ts';
import { type Redaction, redactionBy } from '../redaction.ts';
import type { InspectorSource } from '../sources/source.ts';
import { toRow, toUpdate } from './event-rows.ts';
import { outputViolation } from './output-violation.ts';

export interface PageQuery {
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
}

const FLUSH_MS = 50;
const FLUSH_EVENTS = 500;
/** Number of events read in one turn of the event loop. */
const BATCH_EVENTS = 1_000;
/** Most problems occur at the start. */
const START_EVENTS = 500;
export const MOST_PAGE_ROWS = 5_000;

export class InspectorView {
  readonly source: InspectorSource;
  /** The redaction of all output, unless a page requests the secrets. */
  readonly masked: Redaction;
  /** The requests of the page. */
  readonly own = new OwnRequests();
  readonly analysis = new Analysis((exchange) => this.#originOf(exchange));
  watchers = 0;
  onChange: (change: AnalysisChange) => void = () => undefined;
  readonly #clock: Clock;
  readonly #unsubscribe: () => void;
  readonly #ownExchanges = new WeakSet<Exchange>();
  #seenSeq = 0;
  #startUntilSeq = 0;
  #waiting = 0;
  #timer: Timer | undefined;

  constructor(source: InspectorSource, clock: Clock = systemClock) {
    this.source = source;
    this.masked = redactionBy(source.redact ?? redactor());
    this.#clock = clock;
    this.#unsubscribe = source.flow.notice((kind, seq) => this.#eventAdded(kind, seq));
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
      clients: this.clients(redaction),
      canAct: host !== undefined,
      dropped: { events: flow.dropped.events + lost, bytes: flow.dropped.bytes },
      totalEvents: flow.lastSeq,
      problems: redaction.value(this.analysis.problems),
    };
  }

  async servers(redaction: Redaction): Promise<InspectedServer[]> {
    await this.caughtUp();
    const statuses = (await this.source.host?.status()) ?? [];
    const byName = new Map(statuses.map((status) => [status.name, status]));
    const { lives } = this.analysis;
    const names = new Set([...byName.keys(), ...lives.servers]);
    return [...names].map((name) => ({
      name,
      status: redaction.value(byName.get(name)),
      lives: lives.of(name, redaction.text),
      reach: redaction.value(this.source.reach?.(name)),
    }));
  }

  clients(redaction: Redaction): ClientSummary[] {
    return redaction.value(this.analysis.clients.list());
  }

  /** The rows after `after` and before `before`, oldest first; without `after`, the newest. */
  async page({ after, before, limit }: PageQuery, redaction: Redaction): Promise<EventPage> {
    await this.caughtUp();
    const { flow } = this.source;
    const end = Math.min(before ?? Number.POSITIVE_INFINITY, this.#seenSeq + 1);
    const start = after ?? Math.max(0, end - 1 - limit);
    const events = flow.since(start, limit).filter(({ seq }) => seq < end);
    const rows = events.map((event) => this.row(event, redaction));
    const earlier = rows.flatMap(({ pairSeq, task }) => [pairSeq ?? 0, this.#headOf(task)]);
    return {
      rows,
      updates: this.updates(
        earlier.filter((seq) => seq > 0 && seq <= start),
        redaction,
      ),
      newest: this.#seenSeq,
      oldest: flow.lastSeq - flow.size + 1,
    };
  }

  #headOf(task: number | undefined): number {
    return (task !== undefined && this.analysis.tasks.get(task)?.headSeq) || 0;
  }

  row(event: FlowEvent, { text }: Redaction): EventRow {
    return toRow(event, this.analysis, text);
  }

  updates(seqs: Iterable<number>, { text }: Redaction): LiveMessages['updates'] {
    return [...new Set(seqs)].map((seq) => toUpdate(seq, this.analysis, text));
  }

  async latency(): Promise<LatencyReport> {
    await this.caughtUp();
    const { latency } = this.analysis;
    return { rows: latency.rows(), points: latency.points(), total: latency.total };
  }

  #originOf(exchange: Exchange): Origin | undefined {
    const { direction, server, method, origin, causes } = exchange;
    if (direction !== 'toServer' && direction !== 'fromClient') return undefined;
    const own = this.own.saw(exchange);
    if (own) this.#ownExchanges.add(exchange);
    if (own || this.#ownExchanges.has(exchange)) return own ?? origin;
    if (direction === 'fromClient') return undefined;
    // In another process, the page is a client of the host.
    const cause = causes?.find((each) => this.#ownExchanges.has(each));
    if (cause) return cause.origin;
    // A host reads lists by itself too, to know the tools of its servers.
    const isByHost = this.source.isHosted?.(server) === true && !causes?.length;
    return isByHost && methodsOfMcp.get(method)?.list ? 'lists' : undefined;
  }

  /** The newest event that was read. Later rows are not known yet. */
  get seenSeq(): number {
    return this.#seenSeq;
  }

  /** Resolves when all events so far were read. */
  async caughtUp(): Promise<void> {
    const { lastSeq } = this.source.flow;
    this.#catchUp();
    while (this.#seenSeq < lastSeq) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#catchUp();
    }
  }

  /** Resolves when the events so far make the condition true, or after `ms`. */
  async until(isTrue: () => boolean, ms: number): Promise<void> {
    const deadlineMs = this.#clock.nowMs() + ms;
    while (!isTrue() && this.#clock.nowMs() < deadlineMs) {
      await new Promise<void>((resolve) => {
        const done = () => {
          stop();
          timer.cancel();
          resolve();
        };
        const stop = this.source.flow.subscribe(done);
        const timer = this.#clock.after(deadlineMs - this.#clock.nowMs(), done);
      });
      await this.caughtUp();
    }
  }

  #catchUp(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting = 0;
    const nowMs = this.#clock.nowMs();
    for (const event of this.source.flow.since(this.#seenSeq, BATCH_EVENTS)) {
      this.#seenSeq = event.seq;
      this.analysis.see(event, nowMs);
    }
    this.#tell();
    if (this.#seenSeq < this.source.flow.lastSeq) this.#schedule(0);
    else if (this.analysis.isUnsettled) this.#schedule(FLUSH_MS);
  }

  /** Problems of one event as text, including schema violations, which are not checked for every event. */
  async problemsOf(event: FlowEvent): Promise<string[]> {
    const problems = await eventProblems(event, this.analysis);
    const violation = await outputViolation(this, event);
    if (violation !== undefined) {
      this.analysis.noteViolation(event, violation, 'output-violation');
      problems.push(violation);
    }
    if (problems.length > 0) this.#tell();
    return problems;
  }

  #eventAdded(kind: FlowKind, seq: number): void {
    if (kind === 'spawn' || kind === 'remote') this.#startUntilSeq = seq + START_EVENTS;
    if (this.#canWait(kind, seq)) return;
    this.#waiting++;
    if (this.#waiting === FLUSH_EVENTS) this.#schedule(0);
    else if (!this.#timer) this.#schedule(FLUSH_MS);
  }

  /** Returns true for ordinary traffic while no page is open. */
  #canWait(kind: FlowKind, seq: number): boolean {
    if (!this.source.isOurs || this.watchers > 0 || seq <= this.#startUntilSeq) return false;
    return (
      kind === 'frame' || kind === 'stderr' || kind === 'client' || kind === 'link' || kind === 'http' || kind === 'hop'
    );
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(delayMs, () => this.#catchUp());
    this.#timer.keepAlive(false);
  }

  #tell(): void {
    this.onChange(this.analysis.takeChange(this.#clock.nowMs()));
  }
}
