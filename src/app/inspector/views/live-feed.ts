// Sends events to all open pages, as server-sent events.

import type { ServerResponse } from 'node:http';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import type { AnalysisChange } from '../../../observe/analysis/analysis.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import { safeHeaders } from '../../../wire/http/respond.ts';
import type { CallUpdate, FleetStatus } from '../api.ts';
import type { Calls } from '../calls/calls.ts';
import type { Redaction } from '../redaction.ts';
import { BackgroundValidation } from './background-validation.ts';
import { FleetWatch } from './fleet-watch.ts';
import { LiveClient } from './live-client.ts';
import type { InspectorView } from './view.ts';

const MOST_PAGES = 32;
const BEAT_MS = 15_000;
/** Every message of a client changes the list of clients, so updates are combined for this long. */
const CLIENTS_MS = 500;

export interface Following {
  /** The newest event that the page has. Without it, only new events are sent. */
  after: number | undefined;
  redaction: Redaction;
}

export class LiveFeed {
  readonly #view: InspectorView;
  readonly #clock: Clock;
  readonly #clients = new Set<LiveClient>();
  readonly #validation: BackgroundValidation;
  readonly #fleet: FleetWatch | undefined;
  #beat: Timer | undefined;
  #asksServers = false;
  #clientsDue: Timer | undefined;

  constructor(view: InspectorView, clock: Clock = systemClock) {
    this.#view = view;
    this.#clock = clock;
    this.#validation = new BackgroundValidation(view);
    const { source } = view;
    if (source.fleet) {
      const tell = (fleet: FleetStatus) => this.#each((client) => client.putFleet(fleet));
      this.#fleet = new FleetWatch(() => source.fleet!(), tell, clock);
    }
    view.onChange = (change) => this.#changed(change);
    view.source.questions?.watch({
      asked: (question) => this.#each((client) => client.putQuestion('question', question)),
      settled: (id) => this.#each((client) => client.putQuestion('answered', { id })),
    });
  }

  async connect(response: ServerResponse, { after, redaction }: Following, calls: Calls): Promise<void> {
    if (this.#clients.size >= MOST_PAGES) throw new HttpProblem(503, `${MOST_PAGES} pages are open already`);
    await this.#view.caughtUp();
    if (response.destroyed) return;
    response.writeHead(200, {
      ...safeHeaders,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.write('retry: 1000\n\n');
    const client = new LiveClient(response, this.#view, after ?? this.#view.seenSeq, redaction, this.#clock);
    this.#clients.add(client);
    response.on('close', () => this.#left(client));
    this.#greet(client, calls);
    this.#counted();
    client.pump();
    this.#tellServers();
    this.#fleet?.start();
    void this.#validation.run();
  }

  call(update: CallUpdate): void {
    this.#each((client) => client.putCall(update));
    if (update.state !== 'running') this.#tellServers();
  }

  close(): void {
    this.#view.source.questions?.watch(undefined);
    this.#beat?.cancel();
    this.#clientsDue?.cancel();
    this.#fleet?.stop();
    this.#validation.stop();
    for (const client of this.#clients) client.end();
  }

  /** Sends state that a page cannot request: it may have changed while the page was disconnected. */
  #greet(client: LiveClient, calls: Calls): void {
    const { questions } = this.#view.source;
    client.putProblems(this.#view.analysis.problems);
    client.putClients(this.#view.clients(client.redaction));
    for (const update of calls.list()) if (update.state === 'running') client.putCall(update);
    for (const id of questions?.settled ?? []) client.putQuestion('answered', { id });
    for (const question of questions?.open ?? []) client.putQuestion('question', question);
  }

  #changed({ updated, servers, clients, problems }: AnalysisChange): void {
    if (this.#clients.size === 0) return;
    const list = problems ? this.#view.analysis.problems : undefined;
    this.#each((client) => {
      client.putUpdates(updated);
      if (list) client.putProblems(list);
    });
    if (servers) this.#tellServers();
    if (clients) this.#tellClientsSoon();
    void this.#validation.run();
  }

  /** At most one request at a time, because a host in another process needs time to answer. */
  #tellServers(): void {
    if (this.#asksServers || this.#clients.size === 0) return;
    this.#asksServers = true;
    const ways = new Set([...this.#clients].map(({ redaction }) => redaction));
    void Promise.all([...ways].map((redaction) => this.#tellServersBy(redaction)))
      .catch(() => undefined) // the host is closing; its end is reported by its events
      .finally(() => {
        this.#asksServers = false;
      });
  }

  async #tellServersBy(redaction: Redaction): Promise<void> {
    const servers = await this.#view.servers(redaction);
    this.#each((client) => client.redaction === redaction && client.putServers(servers));
  }

  #tellClientsSoon(): void {
    this.#clientsDue ??= this.#clock.after(CLIENTS_MS, () => {
      this.#clientsDue = undefined;
      this.#each((client) => client.putClients(this.#view.clients(client.redaction)));
    });
    this.#clientsDue.keepAlive(false);
  }

  #each(tell: (client: LiveClient) => unknown): void {
    for (const client of this.#clients) {
      tell(client);
      client.pump();
    }
  }

  #left(client: LiveClient): void {
    this.#clients.delete(client);
    this.#counted();
  }

  #counted(): void {
    const { questions } = this.#view.source;
    if (questions) questions.pages = this.#clients.size;
    this.#view.watchers = this.#clients.size;
    this.#beat?.cancel();
    if (this.#clients.size > 0) this.#waitToBeat();
    else this.#fleet?.stop();
  }

  #waitToBeat(): void {
    this.#beat = this.#clock.after(BEAT_MS, () => {
      for (const client of this.#clients) client.beat();
      this.#waitToBeat();
    });
    this.#beat.keepAlive(false);
  }
}
