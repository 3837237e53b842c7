// A process and its descendants, read from /proc. Systems without /proc yield no figures.

import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;
const TICK_US = 10_000;

/** Returns `{ pids, rssBytes, cpuUs }`; without /proc, only the pid of the root. */
export function processTree(root) {
  if (process.platform !== 'linux') return { pids: [root] };
  const all = readAll();
  const pids = [root];
  for (const pid of pids) for (const [other, { parent }] of all) if (parent === pid) pids.push(other);
  const known = pids.flatMap((pid) => all.get(pid) ?? []);
  const sum = (key) => known.reduce((total, each) => total + each[key], 0);
  return { pids: pids.filter((pid) => all.has(pid)), rssBytes: sum('rssBytes'), cpuUs: sum('cpuUs') };
}

function readAll() {
  const all = new Map();
  for (const name of readdirSync('/proc')) {
    const facts = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (facts) all.set(Number(name), facts);
  }
  return all;
}

function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program may have spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return {
      parent: Number(fields[1]),
      cpuUs: (Number(fields[11]) + Number(fields[12])) * TICK_US,
      rssBytes: Number(fields[21]) * PAGE_BYTES,
    };
  } catch {
    return undefined; // the process has ended
  }
}
