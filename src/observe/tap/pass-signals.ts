// Passes signals to the server: a signal to the tap is sent to the whole group of the server, and if the server is killed by a
// signal, so is the tap.

import { constants } from 'node:os';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ServerProcess } from '../../wire/process/server-process.ts';
import { sendSignal } from '../../wire/process/tree/signals.ts';

const isWindows = process.platform === 'win32';
const onlyPosix: readonly NodeJS.Signals[] = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
const passedOn: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', ...(isWindows ? [] : onlyPosix)];

const SIGNAL_ENDS_US_MS = 200;

interface SignalPass {
  /** Signals that arrived before are passed on now. */
  connect(server: ServerProcess): void;
  /** From now on signals act on the tap itself again. */
  stop(): void;
}

export function passSignals(passed: (signal: NodeJS.Signals) => void): SignalPass {
  let server: ServerProcess | undefined;
  const early: NodeJS.Signals[] = [];
  const pass = (signal: NodeJS.Signals) => {
    if (!server) early.push(signal);
    else if (!server.exitStatus) {
      // The server may exit at this moment: then there is no process to signal, and its exit is handled elsewhere.
      sendSignal(isWindows ? server.pid : -server.pid, signal);
      passed(signal);
    }
  };
  for (const signal of passedOn) process.on(signal, pass);
  return {
    connect(started) {
      server = started;
      for (const signal of early.splice(0)) pass(signal);
    },
    stop() {
      for (const signal of passedOn) process.off(signal, pass);
    },
  };
}

/** Ends this process like the server: with its exit code, or by the same signal. Call it last. */
export function endLike(
  { exitCode, signal }: { exitCode: number | null; signal: NodeJS.Signals | null },
  clock: Clock = systemClock,
): void {
  if (signal === null) process.exit(exitCode ?? 0);
  const asCode = 128 + constants.signals[signal]; // the exit code of a shell, if the signal does not end this process
  clock.after(SIGNAL_ENDS_US_MS, () => process.exit(asCode));
  process.kill(process.pid, signal);
}
