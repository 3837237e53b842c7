// Listings of 500 tools through a host, each asked from the server, with and without a lock that approves all of them.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliPath } from '../contenders/cli/path.mjs';
import { makeTempFolder } from '../temp-folder.mjs';

const TOOLS = 500;
const server = fileURLToPath(new URL('../contenders/lists-many-tools.mjs', import.meta.url));

export const title = `listings of ${TOOLS} tools with a lock`;
export const contenders = [{ name: 'unlocked' }, { name: 'locked' }];
export const ratios = [['locked', 'unlocked']];
export const metrics = [
  { key: 'cpuMs', label: 'ms of CPU of the host for a listing', digits: 2 },
  { key: 'listMs', label: 'ms for a listing', digits: 2 },
  { key: 'firstMs', label: 'ms for the first listing, with the start of the server', digits: 0 },
];

export const cases = ({ quick }) => [{ label: `${TOOLS} tools`, listings: quick ? 100 : 200 }];

export async function measure({ name }, { listings }) {
  const { Host } = await import('../../dist/entry/host.js');
  const folder = makeTempFolder();
  const file = join(folder.path, 'mcp.json');
  const many = { command: process.execPath, args: [server, String(TOOLS)], era: 'legacy' };
  writeFileSync(file, JSON.stringify({ mcpServers: { many } }));
  if (name === 'locked')
    execFileSync(process.execPath, [cliPath, 'lock', '--trust-new', '--config', file], { stdio: 'ignore' });
  const host = await Host.open(file);
  try {
    const beganMs = performance.now();
    const list = async (times) => {
      for (let time = 0; time < times; time++) {
        const tools = await host.listTools('many');
        if (tools.length !== TOOLS) throw new Error(`${tools.length} of ${TOOLS} tools are listed`);
      }
    };
    await list(1);
    const firstMs = performance.now() - beganMs;
    await list(listings / 2); // warm-up
    const startMs = performance.now();
    const before = process.cpuUsage();
    await list(listings);
    const { user, system } = process.cpuUsage(before);
    return { cpuMs: (user + system) / 1000 / listings, listMs: (performance.now() - startMs) / listings, firstMs };
  } finally {
    await host.stop();
    folder.remove();
  }
}

export const targets = [
  {
    text: 'CPU of a host for a locked listing of 500 tools, compared with an unlocked one',
    value: ({ median }) => median('500 tools', 'locked', 'cpuMs') / median('500 tools', 'unlocked', 'cpuMs'),
    atMost: 1.2,
  },
];
