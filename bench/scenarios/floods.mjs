// Calls to a healthy server while another server of the same host floods it in several ways, compared with the same
// calls while that server is silent: the effect of one bad server on others.

import { connect } from '../contenders/flood/host.mjs';
import { load } from '../load.mjs';

const kinds = [
  'half JSON lines',
  'junk text',
  'unknown requests',
  'unknown notifications',
  'answers to nothing',
  'errors to nothing',
  'broken messages',
  'frames beyond the limit',
  'large answers',
  'progress notifications',
  'list_changed storm',
  'log messages',
  'stderr with newlines',
  'stderr without newlines',
];
/** After this time, the flood has filled every buffer and its code is compiled. */
const FLOODED_MS = 500;

export const title = 'a healthy server beside one that floods, one call at a time';
export const contenders = [{ name: 'alone' }, { name: 'flooded' }];
export const ratios = [['flooded', 'alone']];
export const metrics = [
  { key: 'p50Ms', label: 'p50, ms', digits: 3 },
  { key: 'p99Ms', label: 'p99, ms', digits: 3 },
];

export function cases({ quick }) {
  return kinds.map((label) => ({ label, warmMs: quick ? 200 : 500, durationMs: quick ? 500 : 1500 }));
}

export async function measure({ name }, { label, warmMs, durationMs }) {
  const host = await connect({ kind: name === 'alone' ? 'nothing' : label });
  try {
    await load(host, { inFlight: 64, bytes: 100, durationMs: warmMs });
    host.begin();
    await load(host, { inFlight: 1, bytes: 100, durationMs: FLOODED_MS });
    const takenMs = [];
    const timed = {
      async echo(text) {
        const startMs = performance.now();
        const answer = await host.echo(text);
        takenMs.push(performance.now() - startMs);
        return answer;
      },
    };
    await load(timed, { inFlight: 1, bytes: 100, durationMs });
    host.checkFlooding();
    takenMs.sort((a, b) => a - b);
    const quantile = (share) => takenMs[Math.floor((takenMs.length - 1) * share)];
    return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
  } finally {
    await host.close();
  }
}

export const targets = kinds.map((label) => ({
  text: `${label}: p99, flooded/alone`,
  value: ({ ratio }) => ratio(label, 'flooded', 'alone', 'p99Ms'),
  atMost: 3,
}));
