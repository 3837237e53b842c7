// The conversation with one server in a recording. It can be used while the rest of the file is still being read.

import { stat } from 'node:fs/promises';
import { StandpipeError, toError, UsageError } from '../../base/errors.ts';
import { defaultExtensions } from '../../mcp/extensions/default-extensions.ts';
import { register } from '../../mcp/extensions/extension.ts';
import { type FlowEvent, type FlowKind, isOfClient } from '../flow/event.ts';
import { DamagedLines } from '../record/damaged-lines.ts';
import { type LinePlace, readRecordings } from '../record/reader.ts';
import { noServer, severalServers, unknownServer } from '../record/unusable-recording.ts';
import { Conversation, type Opening } from './conversation.ts';
import { MessageFile } from './message-file.ts';
import type { Happening, RecordedExchange } from './recorded-exchange.ts';
import { guessedFacts, type RecordedFacts } from './recorded-facts.ts';

export interface SessionOptions {
  /** The name of the server. Not needed if the recording has only one. */
  server?: string | undefined;
  /** Limit of requests and notifications. Default: 1,000,000. */
  maxItems?: number | undefined;
}

/** Limit of the servers that are distinguished. */
const MOST_SERVERS = 20;
const EVENTS_PER_PAUSE = 256;
/** The kinds of events that belong to the conversation with a server. Events of other kinds are about its host. */
const kinds: ReadonlySet<FlowKind> = new Set(
  (['frame', 'fault', 'stderr', 'spawn', 'signal', 'exit', 'remote', 'http'] as const).values(),
);

export class RecordedSession {
  readonly file: MessageFile;
  /** Number of events read until now. */
  eventsRead = 0;
  /** The file also has messages between a host and its clients. */
  hasClients = false;
  readonly #path: string;
  readonly #options: SessionOptions;
  /** The conversations, by the name of their server. */
  readonly #conversations = new Map<string, Conversation>();
  #current: Conversation | undefined;
  #isAmbiguous = false;
  #isRead = false;
  #isClosed = false;
  #failed: unknown;
  #waiting: (() => void)[] = [];
  readonly #damage: DamagedLines;

  private constructor(path: string, options: SessionOptions) {
    register(defaultExtensions);
    this.file = new MessageFile(path);
    this.#path = path;
    this.#damage = new DamagedLines(path);
    this.#options = options;
  }

  /** Returns at once: the file is read in the background. */
  static open(path: string, options: SessionOptions = {}): RecordedSession {
    const session = new RecordedSession(path, options);
    session
      .#read()
      .catch((error: unknown) => {
        session.#failed = error;
      })
      .finally(() => session.#wake());
    return session;
  }

  /** Resolves when the whole file has been read. Rejects if it cannot be read, or does not have the server. */
  async read(): Promise<Conversation> {
    while (!this.#isRead) await this.#progress();
    return this.#current!;
  }

  /** Resolves as soon as the first handshake has been read, with how the conversation began and what happened until then. */
  async opening(): Promise<{ opening: Opening; before: readonly Happening[] }> {
    while (!this.#isRead && !this.#current?.facts) await this.#progress();
    const { opening, exchanges, before } = this.#current!;
    return { opening: opening ?? { facts: guessedFacts(exchanges) }, before };
  }

  /** Facts about the server; guessed if the recording has no answer to a handshake. */
  async facts(): Promise<RecordedFacts> {
    const { opening } = await this.opening();
    return 'facts' in opening ? opening.facts : guessedFacts(this.#current!.exchanges);
  }

  /** The exchange number `count` with this key, from 0, or the last one if there are fewer. */
  async find(key: string, count: number): Promise<RecordedExchange | undefined> {
    for (;;) {
      const found = this.#current?.withKey(key) ?? [];
      if (found.length > count || this.#isRead) return found[count] ?? found.at(-1);
      await this.#progress();
    }
  }

  /** The exchange with this number. */
  async at(index: number): Promise<RecordedExchange | undefined> {
    for (;;) {
      const found = this.#current?.exchanges[index];
      if (found || this.#isRead) return found;
      await this.#progress();
    }
  }

  /** Resolves when the rest of the file cannot change the outcome. A late answer may follow every other one. */
  async settled(exchange: RecordedExchange): Promise<void> {
    while (!this.#isRead && exchange.outcome !== 'answered' && exchange.outcome !== 'cut') await this.#progress();
  }

  /** Describes the lines that cannot be read. An incomplete last line, which a killed writer leaves, does not count. */
  async damage(): Promise<string | undefined> {
    return this.#damage.count > 0 ? this.#damage.describe() : undefined;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.file.close();
  }

  async #read(): Promise<void> {
    try {
      const found = await stat(this.#path).catch(() => undefined);
      if (found && !found.isFile()) throw unusable(`${this.#path} is not a file`);
      if (!found) throw noServer(this.#path);
      for await (const item of readRecordings(this.#path)) {
        if (this.#isClosed) throw unusable(`The recording ${this.#path} was closed`);
        this.#damage.see(item);
        if (item.type !== 'event') continue;
        this.#see(item.event, item.place, item.run.run);
        if (++this.eventsRead % EVENTS_PER_PAUSE !== 0) continue;
        this.#wake();
        await new Promise(setImmediate); // requests are answered in the meantime
      }
    } catch (thrown) {
      throw thrown instanceof StandpipeError ? thrown : unusable(toError(thrown).message, thrown);
    }
    this.#current = await this.#chosen();
    this.#isRead = true;
  }

  #see(event: FlowEvent, place: LinePlace, run: string): void {
    if (isOfClient(event)) this.hasClients = true;
    if (isOfClient(event) || !kinds.has(event.kind)) return;
    const conversation = this.#conversationWith(event.server);
    if (!conversation || this.#isAmbiguous) return;
    const wasUsed = conversation.isUsed;
    conversation.see(event, place, run);
    if (wasUsed || !conversation.isUsed) return;
    if (this.#current) this.#isAmbiguous = true;
    this.#current ??= conversation;
  }

  #conversationWith(server: string): Conversation | undefined {
    let conversation = this.#conversations.get(server);
    const { server: wanted = server, maxItems } = this.#options;
    if (conversation) return server === wanted ? conversation : undefined;
    if (this.#conversations.size < MOST_SERVERS || server === this.#options.server) {
      conversation = new Conversation(maxItems);
      this.#conversations.set(server, conversation);
    }
    return server === wanted ? conversation : undefined;
  }

  /** The conversation to replay, or an error. */
  async #chosen(): Promise<Conversation> {
    const { server } = this.#options;
    const all = [...this.#conversations];
    const names = all.map(([name]) => name);
    if (server !== undefined && !names.includes(server) && names.length > 0)
      throw unknownServer(this.#path, server, names);
    const wanted = server === undefined ? all : all.filter(([name]) => name === server);
    const usable = wanted.filter(([, { isLiteMcp }]) => !isLiteMcp);
    const used = usable.filter(([, conversation]) => conversation.isUsed);
    if (used.length > 1)
      throw severalServers(
        this.#path,
        used.map(([name]) => name),
      );
    const [, chosen] = used[0] ?? usable[0] ?? [];
    if (chosen) return chosen;
    if (wanted.length > 0) {
      throw unusable(`The server ${wanted[0]![0]} uses LiteMCP; only MCP can be replayed`);
    }
    throw noServer(this.#path, await this.#damage.describe());
  }

  #progress(): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => (this.#failed === undefined ? resolve() : reject(this.#failed)));
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) each();
  }
}

function unusable(message: string, cause?: unknown): UsageError {
  return new UsageError('RECORDING_UNUSABLE', message, { cause });
}
