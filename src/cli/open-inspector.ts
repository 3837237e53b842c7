// Opens the page of the Inspector in a browser. Its address contains the token, and every user of the machine can read arguments of
// processes: so the browser gets a file that only its owner can read, which redirects to the address.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureRuntimeFolder, runtimeFolder } from '../live/runtime-folder.ts';
import { replacePrivately } from '../process/files/private-file.ts';
import { openBrowser } from '../process/launch/open-browser.ts';

/** Never throws: the address was printed anyway. The file is removed when this process exits. */
export function openInspector(url: string): void {
  const folder = runtimeFolder();
  const file = join(folder, `open-${process.pid}-${randomBytes(6).toString('hex')}.html`);
  try {
    ensureRuntimeFolder(folder);
    replacePrivately(file, redirectPage(url));
  } catch {
    return; // no private folder: the user has to open the address
  }
  process.once('exit', () => rmSync(file, { force: true }));
  openBrowser(file);
}

/** `url` is ours: it contains no special characters of HTML. */
function redirectPage(url: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Standpipe Inspector</title>
<p><a href="${url}">Open the Inspector</a></p>
`;
}
