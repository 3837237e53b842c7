// Ends the servers of a host that vanished, even by SIGKILL. One small `sh` a host holds the reading end of a pipe; the host
// writes which process groups are its own. When the pipe ends, the host is gone: after a moment in which polite servers
// leave by themselves (their stdin ended too), the rest get SIGTERM, then SIGKILL, about two seconds later at most.
// POSIX only. It starts with the first registration, keeps no host alive and pins no folder. A group that was unregistered
// is never signalled. Nothing here throws: what goes wrong is reported, and the servers run on without the safety net.
// Not caught: processes that left their group (process-tree.ts catches those while the host lives).

import { type ChildProcess, spawn } from 'node:child_process';
import { ProcessError, toError } from '../base/errors.ts';

// Signals are ignored rather than handled: the watchdog must outlive the Ctrl-C that ends its host. `sleep` in whole
// seconds, because POSIX knows no others. A group found empty is dropped at once: its number may be given out again.
const script = `# Standpipe: ends the servers of a host that vanished.
trap '' HUP INT QUIT TERM PIPE
groups=
without() {
  kept=
  for other in $groups; do [ "$other" = "$1" ] || kept="$kept $other"; done
  groups=$kept
}
signal_all() {
  for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null || without "$group"; done
}
while read -r change group; do
  without "$group"
  if [ "$change" = + ]; then groups="$groups $group"; fi
done
signal_all 0
for step in TERM KILL KILL; do
  [ "$groups" ] || exit 0
  sleep 1
  signal_all "$step"
done
`;

export type WatchdogFailure = (error: ProcessError) => void;

export interface WatchdogOptions {
  /** Told once for each watchdog lost. A warning of the process unless given. */
  onFailure?: WatchdogFailure;
  /** The POSIX shell to run. */
  shell?: string;
}

/** It is started again once after it died; if that one dies too, the cause will not go away by trying. */
const maxStarts = 2;

export class Watchdog {
  readonly #groups = new Set<number>();
  readonly #shell: string;
  readonly #onFailure: WatchdogFailure;
  #process: ChildProcess | undefined;
  #starts = 0;

  constructor({ onFailure = (error) => process.emitWarning(error), shell = '/bin/sh' }: WatchdogOptions = {}) {
    this.#onFailure = onFailure;
    this.#shell = shell;
  }

  /** Undefined while there is none. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  register(group: number): void {
    if (!(group > 1)) return; // to kill(2), 0 is our own group and -1 is everyone
    this.#groups.add(group);
    if (this.#process) this.#tell(`+ ${group}\n`);
    else if (this.#starts < maxStarts) this.#start();
  }

  unregister(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}\n`);
  }

  /** Ends the watch as if the host had vanished: what is still registered is ended. */
  close(): void {
    const watchdog = this.#process;
    this.#process = undefined;
    this.#groups.clear();
    watchdog?.stdin?.end();
  }

  #start(): void {
    this.#starts += 1;
    try {
      const watchdog = spawn(this.#shell, ['-c', script, 'standpipe-watchdog'], {
        detached: true, // its own session: signals meant for the host's group or terminal pass it by
        cwd: '/',
        env: { PATH: process.env.PATH ?? '/usr/bin:/bin' }, // for `sleep`
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      this.#process = watchdog;
      watchdog.on('error', (error) => this.#lost(watchdog, error));
      watchdog.on('exit', (code, signal) => this.#lost(watchdog, new Error(`it ended with ${signal ?? code}`)));
      watchdog.stdin?.on('error', (error) => this.#lost(watchdog, error));
      watchdog.unref();
      (watchdog.stdin as Partial<import('node:net').Socket> | null)?.unref?.();
      this.#tell([...this.#groups].map((group) => `+ ${group}\n`).join(''));
    } catch (error) {
      this.#lost(this.#process, toError(error));
    }
  }

  // A line is in the pipe when write() returns: libuv writes at once what the pipe can take.
  #tell(lines: string): void {
    if (this.#process?.stdin?.writable) this.#process.stdin.write(lines);
  }

  #lost(watchdog: ChildProcess | undefined, cause: Error): void {
    if (this.#process !== watchdog) return; // reported already
    this.#process = undefined;
    const hint = 'Servers run on, but would outlive this program if it were killed. Check that /bin/sh can be run.';
    this.#onFailure(new ProcessError('WATCHDOG_FAILED', `The watchdog is lost: ${cause.message}`, { hint, cause }));
  }
}
