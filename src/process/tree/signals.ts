// Signals to a process by its pid, or to a whole group by the group's number below zero. Neither throws: whoever is to be
// signalled may end at any moment.

/** Whether there is one to be signalled, be it a zombie. On Windows a group never is. */
export function isRunning(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as somebody else
  }
}

/** False where nobody was reached: it has ended, or runs as somebody else. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
