// The cost of importing our modules: the time of a whole process that only imports them.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benchFolder = fileURLToPath(new URL('..', import.meta.url));
const importing = (...modules) => ['--input-type=module', '-e', modules.map((name) => `import '${name}';`).join('')];

export const title = 'a process that imports and exits';
export const contenders = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'empty module', args: importing() },
  { name: 'framing', args: importing('../dist/entry/framing.js') },
  { name: 'jsonrpc', args: importing('../dist/entry/jsonrpc.js') },
  { name: 'stdio', args: importing('../dist/entry/stdio.js') },
  { name: 'client', args: importing('../dist/entry/client.js') },
  { name: 'server', args: importing('../dist/entry/server.js') },
  { name: 'official client', args: importing('@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio') },
  { name: 'official server', args: importing('@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio') },
];
export const ratios = [['stdio', 'node -e 0']];
export const metrics = [{ key: 'lifeMs', label: 'ms', digits: 0 }];
export const roundsFactor = 3;

export const cases = () => [{ label: 'process' }];

export function measure({ args }) {
  const startMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: benchFolder, encoding: 'utf8' });
  const lifeMs = performance.now() - startMs;
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  return { lifeMs };
}

export const targets = [
  {
    text: 'import of standpipe/server: ms over node -e 0',
    value: ({ median }) => median('process', 'server', 'lifeMs') - median('process', 'node -e 0', 'lifeMs'),
    atMost: 30,
  },
];
