// A config with fifty small servers: the time until all are ready, and the memory that the process which runs them uses
// for each. Most of the time is the start of fifty processes; the bare clients show how much.

import { setTimeout as sleep } from 'node:timers/promises';
import { KB, MB } from '../payload.mjs';

const COUNT = 50;
/** Time to collect the garbage of the start, which must not count as a cost of a server. */
const SETTLE_MS = 500;

const load = (name) => async () => (await import('../contenders/tiny/fifty.mjs'))[name];

export const title = `${COUNT} small servers in one process`;
export const contenders = [
  { name: 'clients', load: load('clientsOf') },
  { name: 'host', load: load('hostOf') },
];
export const ratios = [['host', 'clients']];
export const metrics = [
  { key: 'readyMs', label: 'ms until all are ready', digits: 0 },
  { key: 'emptyMb', label: 'RSS with 0, MB', digits: 1 },
  { key: 'fullMb', label: `RSS with ${COUNT}, MB`, digits: 1 },
  { key: 'eachKb', label: 'RSS a server, KB', digits: 0 },
];

export const cases = () => [{ label: 'start' }];

export async function measure(contender) {
  const open = await contender.load();
  const none = await open(0);
  await sleep(SETTLE_MS);
  const emptyBytes = process.memoryUsage.rss();
  await none.close();
  const startMs = performance.now();
  const { close } = await open(COUNT);
  const readyMs = performance.now() - startMs;
  await sleep(SETTLE_MS);
  const fullBytes = process.memoryUsage.rss();
  await close();
  return {
    readyMs,
    emptyMb: emptyBytes / MB,
    fullMb: fullBytes / MB,
    eachKb: (fullBytes - emptyBytes) / COUNT / KB,
  };
}
