// Reads the CPU profiles of a run and reports where the time of each end went: self time by function over all rounds,
// without idle time.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const SHOWN = 18;

export function hotSpots(folder) {
  const byEnd = new Map();
  for (const path of profilesIn(folder)) {
    const profile = JSON.parse(readFileSync(`${folder}/${path}`, 'utf8'));
    const end = `${dirname(path)}, ${isServer(profile) ? 'server' : 'client'}`;
    if (!byEnd.has(end)) byEnd.set(end, new Map());
    addSelfTimes(profile, byEnd.get(end));
  }
  return [...byEnd].map(([end, selfUs]) => report(end, selfUs)).join('\n\n');
}

function profilesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.cpuprofile'))
    .sort();
}

function isServer({ nodes }) {
  return nodes.some(({ callFrame }) => callFrame.url.endsWith('/server.mjs'));
}

function addSelfTimes({ nodes, samples, timeDeltas }, selfUs) {
  const placeById = new Map(nodes.map((node) => [node.id, placeOf(node.callFrame)]));
  for (const [i, id] of samples.entries()) {
    const place = placeById.get(id);
    if (place !== '(idle)') selfUs.set(place, (selfUs.get(place) ?? 0) + timeDeltas[i]);
  }
}

function placeOf({ functionName, url, lineNumber }) {
  const file = url.split('/').slice(-2).join('/');
  return `${functionName || '(anonymous)'}${file ? ` ${file}:${lineNumber + 1}` : ''}`;
}

function report(end, selfUs) {
  const totalUs = [...selfUs.values()].reduce((sum, us) => sum + us, 0);
  const rows = [...selfUs]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([place, us]) => `${((us / totalUs) * 100).toFixed(1).padStart(6)} %  ${place}`);
  return `${end}: ${(totalUs / 1e6).toFixed(2)} s at work\n${rows.join('\n')}`;
}
