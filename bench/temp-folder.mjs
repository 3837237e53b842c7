// A folder for the files of one sample. It is gone when the work is done, and also when the process ends before that.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeTempFolder() {
  const path = mkdtempSync(join(tmpdir(), 'sp-bench-')); // short: paths of sockets may not be long
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  return {
    path,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}
