// A process that is started without variables has those of Wine; on Windows it has none but those that Node.js adds.
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync(process.execPath, ['-p', 'Object.keys(process.env).join()'], {
  env: {},
  encoding: 'utf8',
});
process.exit(stdout.includes('WINE') ? 1 : 0);
