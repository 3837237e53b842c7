// A server that never reads its stdin and never exits. It writes a mark `server.<pid>` into the folder MARKS.
//   STARTS  'child' or 'detached': it first starts such a process, with the mark `grandchild.<pid>`

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { MARKS, STARTS } = process.env;
const [name = 'server'] = process.argv.slice(2);
if (STARTS && name === 'server')
  spawn(process.execPath, [fileURLToPath(import.meta.url), 'grandchild'], {
    detached: STARTS === 'detached',
    stdio: 'ignore',
    windowsHide: true,
  }).unref();
setInterval(() => undefined, 1000);
writeFileSync(join(MARKS, `${name}.${process.pid}`), '');
