// Opens a page in the browser of whoever sits here. If that does not work, the address was printed anyway.

import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function openBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', () => undefined); // no desktop here
  child.unref();
}
