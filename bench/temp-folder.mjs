// A folder for the files of one sample. It is removed when the sample is done, and also when the process ends earlier,
// by itself or by a signal that can be caught.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function makeTempFolder() {
  const path = mkdtempSync(join(tmpdir(), 'sp-bench-')); // short, because paths of sockets are limited in length
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  for (const signal of signals) process.once(signal, exit);
  return {
    path,
    remove() {
      process.off('exit', remove);
      for (const signal of signals) process.off(signal, exit);
      remove();
    },
  };
}

function exit() {
  process.exit(1);
}
