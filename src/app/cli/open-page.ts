// Opens a page with a secret address, such as one with a token, in a browser. Every user of the machine can read the arguments of
// processes, so the browser gets a file that only the owner can read and that redirects to the address.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureRuntimeFolder, runtimeFolder } from '../../observe/live/runtime-folder.ts';
import { replacePrivately } from '../../wire/process/files/private-file.ts';
import { openBrowser } from '../../wire/process/launch/open-browser.ts';

/** Never throws, because the address was already printed. The file is removed when this process exits. */
export function openPage(url: string | URL, title: string): void {
  const folder = runtimeFolder();
  const file = join(folder, `open-${process.pid}-${randomBytes(6).toString('hex')}.html`);
  try {
    ensureRuntimeFolder(folder);
    replacePrivately(file, redirectPage(new URL(url).href, title));
  } catch {
    return; // no private folder: the user has to open the address
  }
  process.once('exit', () => rmSync(file, { force: true }));
  openBrowser(file);
}

function redirectPage(url: string, title: string): string {
  const href = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>${title}</title>
<p><a href="${href}">Continue</a></p>
`;
}
