// Our client and server alone, with a tap between them, and with a tap that records: the cost of a tap for the pair,
// and the memory of the tap while a large message passes.

import { readFileSync } from 'node:fs';
import { clientFrom } from '../contenders/client-from.mjs';
import { timedLoad, warmLoad } from '../load.mjs';
import { checkWhole, KB, MB, payload } from '../payload.mjs';

/** A tap is slower in its first second, until its own code is compiled; taps run for hours. */
const WARM_MS = 1500;

export const title = 'a tap between client and server';
export const contenders = [
  { name: 'untapped', load: clientFrom('standpipe/client') },
  { name: 'tap', load: clientFrom('tap/client', { record: false }) },
  { name: 'tap --record', load: clientFrom('tap/client', { record: true }) },
];
export const ratios = [
  ['tap', 'untapped'],
  ['tap --record', 'untapped'],
];
export const differences = ratios;
export const metrics = [
  { key: 'perSecond', label: 'calls/s', digits: 0 },
  { key: 'p50Us', label: 'p50, µs', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', digits: 0 },
  { key: 'tapIdleMb', label: 'RSS of the tap before, MB', digits: 0 },
  { key: 'tapPeakMb', label: 'peak RSS of the tap, MB', digits: 0 },
];

export function cases({ quick }) {
  const largeMb = quick ? 32 : 100;
  const onLinux = process.platform === 'linux';
  const reason = 'the peak of another process is read on Linux only';
  return [
    {
      label: '64 in flight, 100 B',
      metrics: ['perSecond'],
      what: 'crowd',
      warmMs: quick ? 200 : WARM_MS,
      durationMs: quick ? 200 : 600,
    },
    {
      label: 'one at a time, 100 B',
      metrics: ['p50Us', 'p99Us'],
      what: 'single',
      warmMs: quick ? 200 : WARM_MS,
      durationMs: quick ? 300 : 1500,
    },
    {
      label: 'one large message',
      metrics: ['tapIdleMb', 'tapPeakMb'],
      mostRounds: 3, // each takes seconds, and all are alike
      what: 'large',
      bytes: largeMb * MB,
      skip: { untapped: 'the tap does not run', ...(!onLinux && { tap: reason, 'tap --record': reason }) },
    },
  ];
}

const samples = {
  crowd: rate,
  single: (client, times) => timedLoad(client, { inFlight: 1, bytes: 100, ...times }),
  large: peaks,
};

export async function measure(contender, { what, ...wanted }) {
  const { connect } = await contender.load();
  const client = await connect();
  try {
    return await samples[what](client, wanted);
  } finally {
    await client.close();
  }
}

async function rate(client, times) {
  const { calls, elapsedMs } = await warmLoad(client, { inFlight: 64, bytes: 100, ...times });
  return { perSecond: (calls * 1000) / elapsedMs };
}

async function peaks(client, { bytes }) {
  await client.echo('warm');
  const tapIdleMb = peakRssMb(client.pid);
  const answer = await client.echo(payload(bytes));
  checkWhole(answer, bytes);
  return { tapIdleMb, tapPeakMb: peakRssMb(client.pid) };
}

/**
 * Peak memory, read from the kernel, which starts the count with each program: memory of the parent is not included.
 */
function peakRssMb(pid) {
  const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(kb) * KB) / MB;
}

export const targets = [
  {
    text: '64 in flight, 100 B: calls/s, tap/untapped',
    value: ({ ratio }) => ratio('64 in flight, 100 B', 'tap', 'untapped', 'perSecond'),
    atLeast: 0.8,
  },
  {
    text: 'one at a time: µs that a tap adds to the p50',
    value: ({ difference }) => difference('one at a time, 100 B', 'tap', 'untapped', 'p50Us'),
    atMost: 60,
  },
  {
    text: 'one at a time: µs that a tap adds to the p99',
    value: ({ difference }) => difference('one at a time, 100 B', 'tap', 'untapped', 'p99Us'),
    atMost: 1000,
  },
  ...['tap', 'tap --record'].map((name) => ({
    text: `one large message: peak RSS of ${name}, MB`,
    value: ({ median }) => median('one large message', name, 'tapPeakMb'),
    atMost: 300,
  })),
];
