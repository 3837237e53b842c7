// One run of the client under test. The client starts our server stub, whose behaviour the check plays. Independent of the protocol.
// Invariants: processes and files do not outlive the client run; a client that is inactive for `timeoutMs` is stopped.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Timer } from '../../base/clock.ts';
import { commandLine } from '../../base/command-line.ts';
import { type ExitStatus, type ServerProcess, startServerProcess } from '../../wire/process/server-process.ts';
import { type LocalListener, listenLocal } from '../../wire/transport/local-socket.ts';
import { type Budget, ENTRY_BYTES, MOST_PROCESS_BYTES, type Share } from '../budget.ts';
import type { Deadline } from '../in-parallel.ts';
import { stubFile } from '../stub-file.ts';
import type { Target } from '../target.ts';
import { Transcript } from '../transcript.ts';
import { PlayedServer } from './played-server.ts';

export interface ClientRunOptions {
  target: Target;
  /** The scenario name, passed in the environment of the client for debugging. */
  scenario: string;
  /** The longest time without activity of the client. */
  timeoutMs: number;
  signal?: AbortSignal;
  budget: Budget;
  deadline: Deadline;
  /** Called for each process that the client starts as its server. Set its callbacks synchronously. */
  onserver: (server: PlayedServer) => void;
}

/** The longest run, as a multiple of `timeoutMs`. */
const MOST_SILENCES = 10;
/** Limit of the stdout and stderr kept as evidence. */
const MOST_OUTPUT_BYTES = 64 * 1024;
/** Limit of the server processes that a client starts in one run. */
const MOST_SERVERS = 100;
/** The part of the transcript kept for a client that was stopped because of its output. */
const KEPT_BYTES = 64 * 1024;

export class ClientRun {
  readonly transcript = new Transcript(({ kind, bytes }) => {
    const isHeld = this.#hold(ENTRY_BYTES + (kind === 'received' ? 0 : bytes.length)); // received bytes were counted on arrival
    return isHeld || kind === 'event';
  });
  readonly servers: PlayedServer[] = [];
  readonly #options: ClientRunOptions;
  #client!: ServerProcess;
  /** The exit of the client; undefined if the client had to be stopped. */
  exitStatus: ExitStatus | undefined;
  /** Why the client had to be stopped, as the predicate of a sentence. */
  stopped: string | undefined;
  /** Servers still running after the client has exited. */
  leftBehind: PlayedServer[] = [];
  /** Set if the check stopped the client because of its output, as the predicate of a sentence. */
  isFlooded: string | undefined;
  readonly #share: Share;
  #onactivity: () => void = () => undefined;
  #onflood: () => void = () => undefined;

  /** Resolves when the client has exited or was stopped. */
  static async run(options: ClientRunOptions): Promise<ClientRun> {
    const clientRun = new ClientRun(options);
    const folder = await mkdtemp(join(tmpdir(), 'standpipe-check-')); // the folder has the mode 0700
    const accept = (socket: Socket) => {
      if (clientRun.servers.length >= MOST_SERVERS) return void socket.destroy();
      const { transcript } = clientRun;
      const hold = (bytes: number) => clientRun.#hold(bytes);
      const server = new PlayedServer(socket, { transcript, hold, onactivity: () => clientRun.#onactivity() });
      clientRun.servers.push(server);
      options.onserver(server);
    };
    let listener: LocalListener | undefined;
    try {
      listener = await listenLocal(socketIn(folder), accept);
      await clientRun.#start(folder);
      await clientRun.#watch();
    } finally {
      await clientRun.#clear(listener);
      await rm(folder, { recursive: true, force: true });
    }
    return clientRun;
  }

  private constructor(options: ClientRunOptions) {
    this.#options = options;
    this.#share = options.budget.share();
  }

  /** Returns false and stops the client if it has sent too much. */
  #hold(bytes: number): boolean {
    if (this.isFlooded !== undefined || this.#share.hold(bytes)) return this.isFlooded === undefined;
    this.isFlooded = `sent data to its server that takes more than ${MOST_PROCESS_BYTES / 1024 / 1024} MiB of memory`;
    this.#share.release();
    this.transcript.cut(KEPT_BYTES);
    for (const server of this.servers) server.forget();
    this.#onflood();
    return false;
  }

  /** Masks secrets. */
  get redact(): (text: string) => string {
    return this.#client.redact;
  }

  async #start(folder: string): Promise<void> {
    const { target, scenario, signal } = this.#options;
    const words = [process.execPath, stubFile, socketIn(folder)];
    const config = join(folder, 'mcp.json');
    const [command, ...args] = words;
    await writeFile(config, JSON.stringify({ mcpServers: { check: { command, args } } }), { mode: 0o600 });
    await startServerProcess({
      ...target,
      args: fillIn(target.args ?? [], words, config),
      env: {
        ...target.env,
        STANDPIPE_CHECK_SERVER: JSON.stringify(words),
        STANDPIPE_CHECK_CONFIG: config,
        STANDPIPE_CHECK_SCENARIO: scenario,
      },
      inheritEnv: true, // the client is a program of the user, not a server
      // The stdin of the client has already ended. Remaining servers get time to close before they are killed.
      stopWaits: { stdinMs: 500, sigtermMs: 5_000 },
      ...(signal && { signal }),
      onSpawn: (client) => {
        this.#client = client;
        this.transcript.event(`started in the scenario ${scenario}: ${client.commandLine}`);
        client.stdin.end();
        let bytes = 0;
        const keep = (chunk: Buffer) => {
          if (bytes < MOST_OUTPUT_BYTES) this.transcript.add('stderr', chunk.subarray(0, MOST_OUTPUT_BYTES - bytes));
          bytes += chunk.length;
          this.#onactivity();
        };
        client.stdout.on('data', keep);
        client.stderr.on('data', keep);
      },
    });
  }

  /** Waits until the client has exited or has been inactive for too long. */
  async #watch(): Promise<void> {
    const { timeoutMs, deadline } = this.#options;
    // Other runs use the same signal, and Node.js warns about more than ten listeners.
    const signal = this.#options.signal && AbortSignal.any([this.#options.signal]);
    const mostMs = deadline.within(MOST_SILENCES * timeoutMs);
    this.stopped = await new Promise<string | undefined>((resolve) => {
      let silence: Timer;
      const all = systemClock.after(mostMs, () => resolve(`was still running after ${inSeconds(mostMs)}`));
      this.#onflood = () => resolve(this.isFlooded);
      if (this.isFlooded !== undefined) this.#onflood();
      const listen = () => {
        silence?.cancel();
        silence = systemClock.after(timeoutMs, () => resolve(`was inactive for ${inSeconds(timeoutMs)}`));
      };
      this.#onactivity = listen;
      listen();
      const aborted = () => resolve('was aborted');
      signal?.addEventListener('abort', aborted, { once: true });
      this.#client.onExit(() => {
        this.#onactivity = () => undefined;
        silence.cancel();
        all.cancel();
        signal?.removeEventListener('abort', aborted);
        resolve(undefined);
      });
    });
    signal?.throwIfAborted();
    if (this.stopped) return this.transcript.event(`the client was stopped: it ${this.stopped}`);
    this.exitStatus = this.#client.exitStatus!;
    const { exitCode, signal: by } = this.exitStatus;
    this.transcript.event(`client: exited, ${by ?? `code ${exitCode}`}`);
    // A server may need time to react to the end of its stdin.
    const alive = await Promise.all(this.servers.map((server) => server.isAlive(timeoutMs)));
    this.leftBehind = this.servers.filter((_, at) => alive[at]);
  }

  async #clear(listener: LocalListener | undefined): Promise<void> {
    for (const server of this.servers) server.close();
    listener?.close();
    await this.#client?.stop();
  }
}

function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

function socketIn(folder: string): string {
  return join(folder, 'socket');
}

/** The argument `{server}` becomes the words of the command; within an argument it becomes the command line. `{config}`: the path of the file. */
function fillIn(args: readonly string[], words: readonly string[], config: string): string[] {
  const [command = '', ...rest] = words;
  const line = commandLine(command, rest);
  const filled = (arg: string) => arg.replaceAll('{server}', () => line).replaceAll('{config}', () => config);
  return args.flatMap((arg) => (arg === '{server}' ? words : filled(arg)));
}
