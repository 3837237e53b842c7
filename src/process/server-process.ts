// One server as a process: started, watched, and stopped with everything it started. The only way Standpipe runs a server.
// What always holds: no shell starts it; its stderr is always drained; an error on one of its streams is recorded and never
// uncaught; when its leader ends, by itself or asked to, the rest of its tree is ended too; the watchdog knows its mark
// before it is spawned, and until its tree is known to be empty. Knows nothing of frames or messages.

import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  spawn as nodeSpawn,
  type SpawnOptions,
} from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../base/clock.ts';
import { commandLine } from '../base/command-line.ts';
import type { Evidence, Phase, ProcessError } from '../base/errors.ts';
import { type Mask, maskValues } from '../secrets/mask-values.ts';
import { type Redact, redactor } from '../secrets/redact.ts';
import { redactArguments, secretsInArguments } from '../secrets/redact-arguments.ts';
import { childEnvironment, wholeEnvironment } from './launch/environment.ts';
import { type Launch, launchError } from './launch/launch-error.ts';
import { releaseWhenIdle } from './streams/release-when-idle.ts';
import { StderrRing } from './streams/stderr-ring.ts';
import { addMark, newMark } from './tree/mark.ts';
import { ProcessTree } from './tree/process-tree.ts';
import { type StopRung, type StopWaits, stopLadder, withDefaultWaits } from './tree/stop-ladder.ts';
import { Watchdog } from './tree/watchdog.ts';

export interface ServerProcessOptions {
  command: string;
  args?: readonly string[];
  /** Added to the short list of inherited variables (environment.ts). Its values are masked wherever people read. */
  env?: Readonly<Record<string, string>>;
  /** Values to be masked besides those of `env`: some come in by the arguments. */
  secrets?: readonly string[];
  /** Hands on this program's whole environment instead of the short list. */
  inheritEnv?: boolean;
  cwd?: string;
  stopWaits?: Partial<StopWaits>;
  /** Lets processes live that left the server's session, as daemons do. They are ended with the server unless given. */
  keepDaemons?: boolean;
  clock?: Clock;
  /** Called in the turn of the spawn, before the start can be given up: from now on a process exists. */
  onSpawn?: (server: ServerProcess) => void;
  /** Gives up the start: what was spawned is stopped before the rejection, with the signal's reason. */
  signal?: AbortSignal;
  /** Who ends the servers if this program is killed. One for the whole program unless given. */
  watchdog?: Watchdog;
}

export interface ExitStatus {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** On Windows a missing command shows only when cmd.exe has ended: then this says so. */
  error?: ProcessError;
}

/** Resolves once the process runs. Attach readers to its streams in the same turn. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  options.signal?.throwIfAborted();
  const { command, args = [], cwd, env, inheritEnv } = options;
  const mask = maskValues(env, [...(options.secrets ?? []), ...secretsInArguments(args)]);
  const mark = newMark();
  const launch = {
    command,
    cwd,
    environment: addMark(inheritEnv ? wholeEnvironment(env) : childEnvironment(env), mark),
    commandLine: commandLine(mask(command), redactArguments(args, mask)),
    mask,
  };
  // cross-spawn finds .cmd files and quotes for cmd.exe. On POSIX it is Node's spawn behind 6 ms of loading.
  const spawn = process.platform === 'win32' ? ((await import('cross-spawn')).default as Spawn) : nodeSpawn;
  const guard = { mark, watchdog: process.platform === 'win32' ? undefined : (options.watchdog ?? sharedWatchdog()) };
  guard.watchdog?.watch({ mark }); // first: this program can be killed at any moment of what follows
  let server: ServerProcess | undefined;
  try {
    const child = spawnPiped(spawn, launch, args);
    // Without a pid there was no fork: the 'error' that says why comes in the next tick.
    if (child.pid !== undefined) {
      server = new ServerProcess(child, launch, guard, options);
      options.onSpawn?.(server);
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(launchError(error, launch)));
    });
  } catch (error) {
    if (!server) guard.watchdog?.forget(mark);
    throw error;
  }
  if (options.signal?.aborted) {
    await server!.stop();
    throw options.signal.reason;
  }
  return server!;
}

/** Characters. */
const SHOWN_STDERR = 4096;

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

function spawnPiped(spawn: Spawn, launch: Launch, args: readonly string[]): ChildProcessWithoutNullStreams {
  try {
    return spawn(launch.command, args, {
      env: launch.environment,
      cwd: launch.cwd,
      stdio: 'pipe',
      windowsHide: true,
      detached: process.platform !== 'win32', // leads its own group and session: stopped as a whole, deaf to our Ctrl-C
    }) as ChildProcessWithoutNullStreams;
  } catch (error) {
    throw launchError(error, launch);
  }
}

/** How a server is found again. */
interface ServerGuard {
  mark: string;
  watchdog: Watchdog | undefined;
}

let theWatchdog: Watchdog | undefined;

function sharedWatchdog(): Watchdog {
  theWatchdog ??= new Watchdog();
  return theWatchdog;
}

export class ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The newest of stderr. Always filled, whoever else listens. */
  readonly stderrRing = new StderrRing();
  /** As it was started, with the values of `env` masked. */
  readonly commandLine: string;
  /** Hides known values, and nothing else: for words that a server chose for its caller. */
  readonly mask: Mask;
  /** Hides what has the name or the form of a secret as well: for what it printed. */
  readonly redact: Redact;
  /** Settles when the leader has ended. Its last output may still be in the pipes: read them to their end. */
  readonly exit: Promise<ExitStatus>;
  exitStatus: ExitStatus | undefined;
  /** Settles when the leader has ended and all it wrote was read: the time to collect evidence. Never long after `stop`. */
  readonly closed: Promise<void>;
  /** What went wrong with the streams, EPIPE above all. The first error of each. */
  readonly streamErrors: { stdin?: Error; stdout?: Error; stderr?: Error } = {};

  readonly #child: ChildProcessWithoutNullStreams;
  readonly #tree: ProcessTree;
  readonly #waits: StopWaits;
  readonly #clock: Clock;
  readonly #guard: ServerGuard;
  #stopping: Promise<StopRung> | undefined;

  /** To be made in the turn of the spawn. */
  constructor(
    child: ChildProcessWithoutNullStreams,
    launch: Launch,
    guard: ServerGuard,
    options: ServerProcessOptions,
  ) {
    const { keepDaemons } = options;
    this.#child = child;
    this.pid = child.pid!;
    this.#guard = guard;
    this.#tree = new ProcessTree(this.pid, guard.mark, keepDaemons);
    guard.watchdog?.watch({ mark: guard.mark, group: this.pid, startTicks: this.#tree.leaderStart, keepDaemons });
    this.#waits = withDefaultWaits(options.stopWaits);
    this.#clock = options.clock ?? systemClock;
    this.commandLine = launch.commandLine;
    this.mask = launch.mask;
    this.redact = redactor({ mask: launch.mask });
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    for (const name of ['stdin', 'stdout', 'stderr'] as const) {
      child[name].on('error', (error: Error) => {
        this.streamErrors[name] ??= error;
      });
    }
    child.stderr.on('data', (chunk: Buffer) => this.stderrRing.append(chunk));
    this.closed = new Promise((resolve) => child.once('close', () => resolve()));
    this.exit = new Promise((resolve) => {
      const ended = (status: ExitStatus) => {
        this.exitStatus ??= status;
        resolve(this.exitStatus);
        void this.stop();
      };
      child.on('exit', (exitCode, signal) => ended({ exitCode, signal }));
      child.on('error', (error) =>
        ended({ exitCode: 1, signal: null, error: launchError(error, launch) as ProcessError }),
      );
    });
  }

  get stdinError(): Error | undefined {
    return this.streamErrors.stdin;
  }

  /** Calls back once when the leader has ended, also if it has already. */
  onExit(listener: (status: ExitStatus) => void): void {
    void this.exit.then(listener);
  }

  /** What an error can tell of this process, masked. */
  evidence(phase: Phase): Evidence {
    const evidence: Evidence = { phase, command: this.commandLine, pid: this.pid };
    if (this.exitStatus)
      Object.assign(evidence, { exitCode: this.exitStatus.exitCode, signal: this.exitStatus.signal });
    // More is looked at than is shown, so that no secret is cut in two before it is found.
    const stderrTail = this.redact(this.stderrRing.tail(4 * SHOWN_STDERR)).slice(-SHOWN_STDERR);
    return stderrTail === '' ? evidence : { ...evidence, stderrTail };
  }

  /** Stops the whole tree and says what it took. A second call gets the same answer. */
  stop(): Promise<StopRung> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<StopRung> {
    const tree = this.#tree;
    tree.look();
    const isOver = () => this.exitStatus !== undefined;
    const rung = await stopLadder(
      {
        get exited() {
          return isOver();
        },
        exit: this.exit,
        endStdin: () => this.stdin.end(),
        signalTree: (signal) => tree.signal(signal),
        treeAlive: () => tree.alive(),
      },
      this.#waits,
      this.#clock,
    );
    if (rung !== 'unresponsive') this.#guard.watchdog?.forget(this.#guard.mark);
    releaseWhenIdle([this.#child.stdout, this.#child.stderr], this.closed, this.#clock);
    return rung;
  }
}
