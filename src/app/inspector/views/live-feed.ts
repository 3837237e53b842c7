// Sends events to all open pages, as server-sent events.

import type { ServerResponse } from 'node:http';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import type { AnalysisChange } from '../../../observe/analysis/analysis.ts';
import type { Task } from '../../../observe/analysis/tasks.ts';
import type { FrameEvent } from '../../../observe/flow/event.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import { safeHeaders } from '../../../wire/http/respond.ts';
import type { CallUpdate, FleetStatus, Subscription } from '../api.ts';
import type { Calls } from '../calls/calls.ts';
import type { TaskList } from '../calls/task-list.ts';
import type { Redaction } from '../redaction.ts';
import { LiveClient } from './live-client.ts';
import type { InspectorView } from './view.ts';

const MOST_PAGES = 32;
const BEAT_MS = 15_000;
/** Every message from a client changes the list of clients, so updates are combined for this long. */
const CLIENTS_MS = 500;
/** Every poll changes a task. */
const TASKS_MS = 200;

export class LiveFeed {
  readonly #view: InspectorView;
  readonly #clock: Clock;
  readonly #clients = new Set<LiveClient>();
  readonly #validation: BackgroundValidation;
  readonly #fleet: FleetWatch | undefined;
  /** Describes tasks to pages. */
  tasks: TaskList | undefined;
  #beat: Timer | undefined;
  #asksServers = false;
  #clientsDue: Timer | undefined;
  #tasksDue: Timer | undefined;
  #changedTasks = new Set<Task>();

  constructor(view: InspectorView, clock: Clock = systemClock) {
    this.#view = view;
    this.#clock = clock;
    this.#validation = new BackgroundValidation(view);
    const { source } = view;
    if (source.fleet) {
      const tell = (fleet: FleetStatus) => this.#each((client) => client.put('fleet', fleet));
      this.#fleet = new FleetWatch(() => source.fleet!(), tell, clock);
    }
    view.onChange = (change) => this.#changed(change);
    view.source.questions?.watch({
      asked: (question) => this.#each((client) => client.put('question', question)),
      settled: (id) => this.#each((client) => client.put('answered', { id })),
    });
  }

  /** `after`: the newest event that the page has. Without it, only new events are sent. */
  async connect(
    response: ServerResponse,
    { after, redaction }: { after: number | undefined; redaction: Redaction },
    calls: Calls,
  ): Promise<void> {
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
    response.on('close', () => {
      this.#clients.delete(client);
      this.#counted();
    });
    this.#greet(client, calls);
    this.#counted();
    client.pump();
    this.#tellServers();
    this.#fleet?.start();
    void this.#validation.run();
  }

  call(update: CallUpdate): void {
    this.#each((client) => client.put('call', update));
    if (update.state !== 'running') this.#tellServers();
  }

  subscription(subscription: Subscription): void {
    this.#each((client) => client.put('subscription', subscription));
  }

  close(): void {
    this.#view.source.questions?.watch(undefined);
    this.#beat?.cancel();
    this.#clientsDue?.cancel();
    this.#tasksDue?.cancel();
    this.#fleet?.stop();
    this.#validation.stop();
    for (const client of this.#clients) client.end();
  }

  /** Sends state that a page cannot request: it may have changed while the page was disconnected. */
  #greet(client: LiveClient, calls: Calls): void {
    const { questions } = this.#view.source;
    client.put('problems', this.#view.analysis.problems);
    client.putRedacted('clients', this.#view.clients(client.redaction));
    for (const update of calls.list()) if (update.state === 'running') client.put('call', update);
    for (const id of questions?.settled ?? []) client.put('answered', { id });
    for (const question of questions?.open ?? []) client.put('question', question);
  }

  #changed({ updated, servers, clients, problems, tasks }: AnalysisChange): void {
    if (this.#clients.size === 0) return;
    const list = problems ? this.#view.analysis.problems : undefined;
    this.#each((client) => {
      client.putUpdates(updated);
      if (list) client.put('problems', list);
    });
    if (servers) this.#tellServers();
    if (clients) this.#tellClientsSoon();
    if (tasks.size > 0) this.#tellTasksSoon(tasks);
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
    this.#each((client) => client.redaction === redaction && client.putRedacted('servers', servers));
  }

  #tellClientsSoon(): void {
    this.#clientsDue ??= this.#clock.after(CLIENTS_MS, () => {
      this.#clientsDue = undefined;
      this.#each((client) => client.putRedacted('clients', this.#view.clients(client.redaction)));
    });
    this.#clientsDue.keepAlive(false);
  }

  #tellTasksSoon(tasks: ReadonlySet<Task>): void {
    for (const task of tasks) this.#changedTasks.add(task.upstream ?? task);
    this.#tasksDue ??= this.#clock.after(TASKS_MS, () => {
      this.#tasksDue = undefined;
      const changed = [...this.#changedTasks].map((task) => this.tasks?.of(task));
      this.#changedTasks.clear();
      this.#each((client) => {
        for (const task of changed) if (task) client.put('task', task);
      });
    });
    this.#tasksDue.keepAlive(false);
  }

  #each(tell: (client: LiveClient) => unknown): void {
    for (const client of this.#clients) {
      tell(client);
      client.pump();
    }
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

const STEP_EVENTS = 1_000;
const CHECKS_OF_A_KIND = 3;
const MOST_KINDS = 2_000;
const MOST_BYTES = 256 * 1024;

/** Validates messages against the schemas while a page is open: the first three of each method of each server. */
class BackgroundValidation {
  readonly #view: InspectorView;
  readonly #checked = new Map<string, number>();
  #seenSeq = 0;
  #running = false;
  #stopped = false;

  constructor(view: InspectorView) {
    this.#view = view;
  }

  /** Continues to the newest event, unless it is running already. Never rejects. */
  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (!this.#stopped && (await this.#step())) await new Promise((resolve) => setImmediate(resolve));
    this.#running = false;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #step(): Promise<boolean> {
    const events = this.#view.source.flow.since(this.#seenSeq, STEP_EVENTS);
    for (const event of events) {
      this.#seenSeq = event.seq;
      if (event.kind === 'frame' && this.#isWanted(event)) await this.#view.problemsOf(event);
    }
    return events.length === STEP_EVENTS;
  }

  #isWanted(event: FrameEvent): boolean {
    if (event.direction !== 'fromServer' || event.cut || event.length > MOST_BYTES) return false;
    const { kind, messages } = this.#view.analysis.describe(event);
    const [exchange] = this.#view.analysis.exchangesOf(event.seq);
    const method = kind === 'response' ? exchange?.method : messages[0]?.method;
    if (method === undefined) return false;
    // Each tool has an output schema of its own.
    const key = JSON.stringify([event.server, kind, method, exchange?.tool]);
    const checks = this.#checked.get(key) ?? 0;
    if (checks >= CHECKS_OF_A_KIND || this.#checked.size >= MOST_KINDS) return false;
    this.#checked.set(key, checks + 1);
    return true;
  }
}

const PAUSE_MS = 1_000;
/** The pause is at least this many times the duration of the last answer, so that a fleet of a thousand nodes does not keep the host busy. */
const PAUSE_FACTOR = 20;

/** Polls the status of the fleet while pages are open, and passes on each change. */
class FleetWatch {
  readonly #ask: () => Promise<FleetStatus | undefined>;
  readonly #tell: (fleet: FleetStatus) => void;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #isWanted = false;
  #isAsking = false;
  #told = '';

  constructor(ask: () => Promise<FleetStatus | undefined>, tell: (fleet: FleetStatus) => void, clock: Clock) {
    this.#ask = ask;
    this.#tell = tell;
    this.#clock = clock;
  }

  /** A page was opened: it gets the status even if it is unchanged. */
  start(): void {
    this.#isWanted = true;
    this.#told = '';
    this.#timer?.cancel();
    if (!this.#isAsking) void this.#look();
  }

  stop(): void {
    this.#isWanted = false;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const startMs = this.#clock.nowMs();
    this.#isAsking = true;
    const fleet = await this.#ask().catch(() => undefined); // the host is closing, or has left the fleet
    this.#isAsking = false;
    if (!this.#isWanted) return;
    const text = JSON.stringify(fleet);
    if (fleet && text !== this.#told) this.#tell(fleet);
    this.#told = text;
    const tookMs = this.#clock.nowMs() - startMs;
    this.#timer = this.#clock.after(Math.max(PAUSE_MS, tookMs * PAUSE_FACTOR), () => void this.#look());
    this.#timer.keepAlive(false);
  }
}
