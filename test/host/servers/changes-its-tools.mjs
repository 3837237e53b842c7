// Its tool `effect` counts in a file that persists, and never answers. The tool is declared idempotent until a call
// changes that.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Server, serveStdio } from '../../../dist/entry/server.js';

const { COUNT_FILE, CHANGED_FILE } = process.env;
const server = new Server({ name: 'changes-its-tools', version: '1.0.0' });

const runs = () => readFileSync(COUNT_FILE, { encoding: 'utf8', flag: 'a+' }).length;
const effect = () => {
  appendFileSync(COUNT_FILE, 'x');
  return runs() > 1 ? 'ran again' : new Promise(() => undefined);
};
const declare = (idempotentHint) => server.tool('effect', { annotations: { idempotentHint } }, effect);
let declared = declare(!existsSync(CHANGED_FILE));

/** Announces the change with list_changed; the next process starts unchanged. */
server.tool('change', {}, () => {
  declared.remove();
  declared = declare(false);
  return 'changed';
});
/** Sends no notification; the next process starts changed. */
server.tool('change_silently', {}, () => {
  writeFileSync(CHANGED_FILE, '');
  return 'changed';
});
server.tool('die', {}, () => process.kill(process.pid, 'SIGKILL'));
await serveStdio(server);
