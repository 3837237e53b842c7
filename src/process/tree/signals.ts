// Signals to a process by its pid, or to a whole group by the negated group id. The functions do not throw: a process can exit
// at any moment.

/** Whether the process or group exists. A zombie does. Always false for a group on Windows. */
export function isRunning(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as another user
  }
}

/** False if no process was signalled: it has exited, or runs as another user. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
