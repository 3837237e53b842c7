// Opens a page in the user's browser. Errors are ignored, because the address was printed anyway.
// Every user of the machine can read process arguments: the address must not contain a secret.

import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { windowsTool } from './system.ts';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: [windowsTool('rundll32.exe'), 'url.dll,FileProtocolHandler'],
};

/** `target`: a URL or the absolute path of a file. */
export function openBrowser(target: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  // rundll32 takes the rest of its command line literally, including the quotes around a path with spaces.
  const shown =
    process.platform === 'win32' && /^[a-z]:[\\/]|^\\\\/i.test(target) ? pathToFileURL(target).href : target;
  const child = spawn(command, [...args, shown], { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', () => undefined); // there is no desktop
  child.unref();
}
