// A command line of 100,000 characters starts a program; Windows refuses more than 32,767.
import { spawnSync } from 'node:child_process';

const { error } = spawnSync(process.execPath, ['-p', '1', 'x'.repeat(100_000)]);
process.exit(error ? 0 : 1);
