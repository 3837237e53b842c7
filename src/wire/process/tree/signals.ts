// Signals to a process by its pid, or to a group by the negated group id. The functions do not throw, because a process can exit at any
// moment.

/** Returns true if the process or group exists, even as a zombie. Always false for a group on Windows. */
export function isRunning(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process runs as another user
  }
}

/** Returns false if nothing was signalled: the target has exited or runs as another user. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
