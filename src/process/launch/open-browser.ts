// Opens a page in the browser of the user. Errors are ignored: the address was printed anyway.
// Every user of the machine can read the arguments of a process: the address must not contain a secret.

import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** `target`: an address or a file. */
export function openBrowser(target: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, target], { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', () => undefined); // no desktop here
  child.unref();
}
