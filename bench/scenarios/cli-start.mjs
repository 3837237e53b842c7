// The cost of the command line before it does anything, and for its smallest task, a call on a running host. Each
// figure is that of a whole process, compared with a Node process that exits at once.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cliPath } from '../contenders/cli/path.mjs';
import { startRunningHost } from '../contenders/cli/running-host.mjs';

const reportUsage = fileURLToPath(new URL('../contenders/cli/report-usage.cjs', import.meta.url));
const LIMIT_MS = 20_000;

export const title = 'from start to exit of a command';
export const contenders = [
  { name: 'node -e 0', args: () => ['-e', '0'], prints: '' },
  { name: '--version', args: () => [cliPath, '--version'] },
  { name: 'call', args: ({ config }) => [cliPath, 'call', 'tiny', 'hello', '--config', config], prints: 'hello\n' },
];
export const ratios = [
  ['--version', 'node -e 0'],
  ['call', 'node -e 0'],
];
export const metrics = [
  { key: 'lifeMs', label: 'ms', digits: 0 },
  { key: 'cpuMs', label: 'CPU ms', digits: 0 },
];
export const roundsFactor = 3;

export const cases = () => [{ label: 'process' }];

/** The host that `call` uses. It runs beside all contenders, so that it affects all alike. */
export const background = () => startRunningHost();

export function measure({ args, prints }, _case, shared) {
  const { lifeMs } = run(args(shared), shared, prints);
  // A separate run, because writing the figure takes time too.
  const { cpuUs } = run(['-r', reportUsage, ...args(shared)], shared, prints);
  return { lifeMs, cpuMs: cpuUs / 1000 };
}

function run(args, { runtimeFolder }, prints) {
  const startMs = performance.now();
  const { status, error, output } = spawnSync(process.execPath, args, {
    env: { ...process.env, XDG_RUNTIME_DIR: runtimeFolder },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  const lifeMs = performance.now() - startMs;
  if (error) throw error;
  const [, stdout, stderr, cpuUs] = output;
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  if (prints !== undefined && stdout !== prints) throw new Error(`it printed ${JSON.stringify(stdout)}`);
  return { lifeMs, cpuUs: Number(cpuUs) };
}

export const targets = [
  {
    text: 'standpipe --version: ms, of node -e 0',
    value: ({ ratio }) => ratio('process', '--version', 'node -e 0', 'lifeMs'),
    atMost: 1.6,
  },
  {
    text: 'standpipe call on a running host: ms, of node -e 0',
    value: ({ ratio }) => ratio('process', 'call', 'node -e 0', 'lifeMs'),
    atMost: 2.5,
  },
];
