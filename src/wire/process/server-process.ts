// A server process: started, monitored, and stopped with all processes that it started. Every server is run by this file.
// Invariants: it is not started by a shell; its stderr is always drained; an error on one of its streams is recorded and never uncaught;
// when its leader exits, the rest of its tree is stopped too; the watchdog knows its mark from before the spawn until its tree is known to
// be empty, and on Windows its job is open for the same time. This file must not know about frames or messages.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../../base/clock.ts';
import { commandLine } from '../../base/command-line.ts';
import { type Evidence, type Phase, ProcessError } from '../../base/errors.ts';
import { type Mask, maskValues } from '../../base/secrets/mask-values.ts';
import { type Redact, redactor } from '../../base/secrets/redact.ts';
import { redactArguments, secretsInArguments } from '../../base/secrets/redact-arguments.ts';
import { childEnvironment, wholeEnvironment, withheldNames } from './launch/environment.ts';
import { type Launch, launchError } from './launch/launch-error.ts';
import type { Program } from './launch/windows-program.ts';
import { releaseWhenIdle } from './streams/release-when-idle.ts';
import { StderrRing } from './streams/stderr-ring.ts';
import { addMark, newMark } from './tree/mark.ts';
import { ProcessTree } from './tree/process-tree.ts';
import { type StopRung, type StopWaits, stopLadder, withDefaultWaits } from './tree/stop-ladder.ts';
import { Watchdog } from './tree/watchdog.ts';
import type { WindowsJob } from './tree/windows-job.ts';

export interface ServerProcessOptions {
  command: string;
  args?: readonly string[];
  /**
   * Variables in addition to the short list of inherited ones (environment.ts). Their values are masked in displayed
   * text.
   */
  env?: Readonly<Record<string, string>>;
  /** Further values to mask, because some secrets are in the arguments. */
  secrets?: readonly string[];
  /** Passes the whole environment of this process instead of the short list. */
  inheritEnv?: boolean;
  cwd?: string;
  stopWaits?: Partial<StopWaits>;
  /** How long the rest of the tree may run after the leader exited by itself. Default: 500 ms. */
  stragglersMs?: number;
  /** Keeps processes alive that left the server's session, such as daemons. Default: they are stopped too. */
  keepDaemons?: boolean;
  /** Session of the lease of this server: the watchdog kills the server if `renewLease` is not called in time. POSIX only. */
  lease?: string | undefined;
  clock?: Clock;
  /** Called in the same turn as the spawn, before the start can be aborted. A process exists from here on. */
  onSpawn?: (server: ServerProcess) => void;
  /** Aborts the start: the process is stopped before the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Ends the servers if this process is killed. Default: one watchdog for the whole process. */
  watchdog?: Watchdog;
}

export interface ExitStatus {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** Resolves when the process runs. Attach readers to its streams in the same turn. */
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
  const isWindows = process.platform === 'win32';
  const program = isWindows ? await programOnWindows(launch, args, options.signal) : { file: command, args };
  const guard: ServerGuard = isWindows
    ? await guardOnWindows(mark, options.keepDaemons)
    : { mark, watchdog: options.watchdog ?? sharedWatchdog() };
  const { lease } = options;
  if (lease !== undefined && guard.watchdog?.holdsLease(lease) === false) throw leaseEnded(launch.commandLine);
  guard.watchdog?.watch({ mark, lease }); // called first, because this process can be killed at any time
  let server: ServerProcess | undefined;
  try {
    const child = spawnPiped(program, launch);
    // Without a pid the fork failed. The 'error' event with the reason follows in the next tick.
    if (child.pid !== undefined) {
      server = new ServerProcess(child, launch, guard, options);
      options.onSpawn?.(server);
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(launchError(error, launch)));
    });
  } catch (error) {
    if (!server) release(guard);
    throw error;
  }
  if (options.signal?.aborted) {
    await server!.stop();
    throw options.signal.reason;
  }
  return server!;
}

function leaseEnded(command: string): ProcessError {
  return new ProcessError('SPAWN_FAILED', `${command} was not started: the lease that it would run under has ended`, {
    hint: 'The server starts on the node that holds the lease, or here as soon as this node holds it again.',
    evidence: { phase: 'spawn', command },
  });
}

/** Limit of the shown stderr in characters. */
const SHOWN_STDERR = 4096;

/** Resolves the program. The module is loaded on first use, because POSIX systems do not need it. */
async function programOnWindows(
  launch: Launch,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Program> {
  const { windowsProgram } = await import('./launch/windows-program.ts');
  const { command, environment, cwd = process.cwd() } = launch;
  try {
    return await windowsProgram(command, args, { environment, cwd, signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw launchError(error, launch);
  }
}

function spawnPiped(program: Program, launch: Launch): ChildProcessWithoutNullStreams {
  try {
    return spawn(program.file, program.args, {
      env: program.environment ?? launch.environment,
      cwd: launch.cwd,
      stdio: 'pipe',
      windowsHide: true,
      windowsVerbatimArguments: program.isVerbatim,
      detached: process.platform !== 'win32', // the server has its own group and session: it is stopped as a whole, and unaffected by our Ctrl-C
    });
  } catch (error) {
    throw launchError(error, launch);
  }
}

/** Identifies the processes of a server, and ends them if this process is killed. */
interface ServerGuard {
  mark: string;
  /** Set on POSIX systems. */
  watchdog?: Watchdog | undefined;
  /** Set on Windows, unless daemons are kept: a job would hold them too. */
  job?: WindowsJob | undefined;
}

async function guardOnWindows(mark: string, keepDaemons = false): Promise<ServerGuard> {
  return keepDaemons ? { mark } : { mark, job: (await import('./tree/windows-job.ts')).WindowsJob.open() };
}

function release({ mark, watchdog, job }: ServerGuard): void {
  watchdog?.forget(mark);
  job?.close();
}

let theWatchdog: Watchdog | undefined;

function sharedWatchdog(): Watchdog {
  theWatchdog ??= new Watchdog();
  return theWatchdog;
}

/** Servers with `lease` may run until 0.8 × lifetime after the renewal, which was sent `ageMs` ago. */
export function renewLease(session: string, ageMs: number, lifetimeMs: number): void {
  if (process.platform !== 'win32') sharedWatchdog().renewLease(session, ageMs, lifetimeMs);
}

export class ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The latest stderr output. Always filled, even if there are other listeners. */
  readonly stderrRing = new StderrRing();
  /** The command line, with the values of `env` masked. */
  readonly commandLine: string;
  /** Names of this process's variables that the server did not receive. */
  readonly withheld: readonly string[];
  /** Hides known values only. Used for texts that a server wrote for its caller. */
  readonly mask: Mask;
  /** Also hides text that has the name or the form of a secret. Used for printed output. */
  readonly redact: Redact;
  /** Settles when the leader has exited. Its last output may still be in the pipes; read them to their end. */
  readonly exit: Promise<ExitStatus>;
  exitStatus: ExitStatus | undefined;
  /** Settles when the leader has exited and its output was read: evidence is complete. Follows soon after `stop`. */
  readonly closed: Promise<void>;
  /** The first error of each stream, usually EPIPE. */
  readonly streamErrors: { stdin?: Error; stdout?: Error; stderr?: Error } = {};

  readonly #child: ChildProcessWithoutNullStreams;
  readonly #tree: ProcessTree;
  readonly #waits: StopWaits;
  readonly #stragglersMs: number | undefined;
  readonly #clock: Clock;
  readonly #guard: ServerGuard;
  #stopping: Promise<StopRung> | undefined;

  /** Must be created in the same turn as the spawn. */
  constructor(
    child: ChildProcessWithoutNullStreams,
    launch: Launch,
    guard: ServerGuard,
    options: ServerProcessOptions,
  ) {
    const { keepDaemons, lease } = options;
    this.#child = child;
    this.pid = child.pid!;
    this.#guard = guard;
    this.#tree = new ProcessTree(this.pid, guard.mark, keepDaemons, guard.job);
    const startTicks = this.#tree.leaderStart;
    guard.watchdog?.watch({ mark: guard.mark, group: this.pid, startTicks, keepDaemons, lease });
    this.#waits = withDefaultWaits(options.stopWaits);
    this.#stragglersMs = options.stragglersMs;
    this.#clock = options.clock ?? systemClock;
    this.commandLine = launch.commandLine;
    this.withheld = withheldNames(launch.environment);
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
      child.on('exit', (exitCode, signal) => {
        this.exitStatus = { exitCode, signal };
        resolve(this.exitStatus);
        void this.stop();
      });
    });
  }

  get stdinError(): Error | undefined {
    return this.streamErrors.stdin;
  }

  /** Calls back once when the leader has exited, even if it has exited already. */
  onExit(listener: (status: ExitStatus) => void): void {
    void this.exit.then(listener);
  }

  /** Masked evidence for an error of this process. */
  evidence(phase: Phase): Evidence {
    const evidence: Evidence = { phase, command: this.commandLine, pid: this.pid };
    if (this.exitStatus)
      Object.assign(evidence, { exitCode: this.exitStatus.exitCode, signal: this.exitStatus.signal });
    // Redact more than is shown, so that a secret is not cut in two before it is found.
    const stderrTail = this.redact(this.stderrRing.tail(4 * SHOWN_STDERR)).slice(-SHOWN_STDERR);
    return stderrTail === '' ? evidence : { ...evidence, stderrTail };
  }

  /** Resident memory of the whole tree, or undefined if the system does not report it. */
  residentBytes(): number | undefined {
    return this.#tree.residentBytes();
  }

  /** Stops the whole tree and resolves to the last rung that was needed. A second call returns the same promise. */
  stop(): Promise<StopRung> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<StopRung> {
    const tree = this.#tree;
    const isOver = () => this.exitStatus !== undefined;
    if (!isOver()) tree.look(); // if the leader has exited, the first rung of the ladder updates the members
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
      this.#stragglersMs,
    );
    if (rung !== 'unresponsive') release(this.#guard);
    releaseWhenIdle([this.#child.stdout, this.#child.stderr], this.closed, this.#clock);
    return rung;
  }
}
