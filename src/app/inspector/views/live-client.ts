// One page that follows the events. It reads rows from the store at its own speed; of everything else only the newest state is kept,
// so that no queue grows. A page that has missed too much gets `resync` and is disconnected; so is one that reads nothing for 30 s.

import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { CallUpdate, ClientSummary, FleetStatus, InspectedServer, LiveMessages, Problem } from '../api.ts';
import type { Redaction } from '../redaction.ts';
import type { InspectorView } from './view.ts';

const BATCH_ROWS = 500;
const MOST_UPDATES = 10_000;
const STALL_MS = 30_000;

type Name = keyof LiveMessages | 'resync';

export class LiveClient {
  /** Applied to everything that is sent. */
  readonly redaction: Redaction;
  readonly #response: ServerResponse;
  readonly #view: InspectorView;
  readonly #clock: Clock;
  /** The newest event that was sent. */
  #sentSeq: number;
  #updates = new Set<number>();
  #servers: InspectedServer[] | undefined;
  #clients: ClientSummary[] | undefined;
  #problems: Problem[] | undefined;
  #fleet: FleetStatus | undefined;
  /** By id: an update replaces the previous one. */
  readonly #calls = new Map<string, CallUpdate>();
  readonly #questions = new Map<string, { name: 'question' | 'answered'; data: unknown }>();
  #stalled: Timer | undefined;
  #pumping = false;

  constructor(response: ServerResponse, view: InspectorView, after: number, redaction: Redaction, clock: Clock) {
    this.#response = response;
    this.#view = view;
    this.#sentSeq = after;
    this.redaction = redaction;
    this.#clock = clock;
    response.on('drain', () => {
      this.#stalled?.cancel();
      this.#stalled = undefined;
      this.pump();
    });
    response.on('close', () => this.#stalled?.cancel());
  }

  putUpdates(seqs: Iterable<number>): void {
    for (const seq of seqs) if (seq <= this.#sentSeq) this.#updates.add(seq);
  }

  /** Already redacted: several pages share them. */
  putServers(servers: InspectedServer[]): void {
    this.#servers = servers;
  }

  /** Already redacted. */
  putClients(clients: ClientSummary[]): void {
    this.#clients = clients;
  }

  putProblems(problems: Problem[]): void {
    this.#problems = this.redaction.value(problems);
  }

  putFleet(fleet: FleetStatus): void {
    this.#fleet = this.redaction.value(fleet);
  }

  putCall(update: CallUpdate): void {
    this.#calls.set(update.id, this.redaction.value(update));
  }

  putQuestion<K extends 'question' | 'answered'>(name: K, data: LiveMessages[K]): void {
    this.#questions.set(data.id, { name, data: this.redaction.value(data) });
  }

  /** Detects a connection that was lost silently. */
  beat(): void {
    if (!this.#stalled && !this.#response.destroyed) this.#write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }

  /** Writes pending data until the connection is full. */
  pump(): void {
    if (this.#pumping || this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#hasMissed()) {
      this.#write(message('resync', {}));
      this.end();
      return;
    }
    if (this.#stalled) return;
    const piece = this.#nextPiece();
    if (piece === '') return;
    this.#write(piece);
    if (this.#sentSeq >= this.#view.seenSeq) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.pump();
    });
  }

  /** True if the store has dropped unsent events, or too many updates are pending. */
  #hasMissed(): boolean {
    const { lastSeq, size } = this.#view.source.flow;
    const isBehind = this.#sentSeq < lastSeq - size && this.#sentSeq > 0;
    return isBehind || this.#updates.size > MOST_UPDATES;
  }

  #nextPiece(): string {
    const { source, seenSeq } = this.#view;
    const events = source.flow.since(this.#sentSeq, BATCH_ROWS).filter(({ seq }) => seq <= seenSeq);
    const rows = events.map((event) => this.#view.row(event, this.redaction));
    this.#sentSeq = rows.at(-1)?.seq ?? this.#sentSeq;
    let piece = rows.length > 0 ? `id: ${this.#sentSeq}\n${message('rows', rows)}` : '';
    if (this.#updates.size > 0) piece += message('updates', this.#view.updates(this.#updates, this.redaction));
    if (this.#servers) piece += message('servers', this.#servers);
    if (this.#clients) piece += message('clients', this.#clients);
    if (this.#problems) piece += message('problems', this.#problems);
    if (this.#fleet) piece += message('fleet', this.#fleet);
    for (const call of this.#calls.values()) piece += message('call', call);
    for (const { name, data } of this.#questions.values()) piece += message(name, data);
    this.#updates = new Set();
    this.#servers = undefined;
    this.#clients = undefined;
    this.#problems = undefined;
    this.#fleet = undefined;
    this.#calls.clear();
    this.#questions.clear();
    return piece;
  }

  #write(text: string): void {
    if (this.#response.write(text) || this.#stalled) return;
    this.#stalled = this.#clock.after(STALL_MS, () => this.#response.destroy());
    this.#stalled.keepAlive(false);
  }
}

function message(name: Name, data: unknown): string {
  try {
    return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  } catch {
    return ''; // nested too deeply or too long: left out
  }
}
