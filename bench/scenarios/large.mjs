// One large message in both directions, in fresh processes: its time, and the peak memory of each end as a multiple of
// the message. The peak includes the memory of an idle process, which is shown beside it.

import { echoContenders, echoRatios } from '../contenders/echo.mjs';
import { usage } from '../contenders/usage.mjs';
import { checkWhole, MB, payload } from '../payload.mjs';

export const title = 'one large message there and back';
export const contenders = echoContenders;
export const ratios = echoRatios;
export const metrics = [
  { key: 'seconds', label: 'seconds', digits: 3 },
  { key: 'clientPeak', label: 'client peak RSS, × message', digits: 1 },
  { key: 'serverPeak', label: 'server peak RSS, × message', digits: 1 },
  { key: 'clientIdleMb', label: 'client RSS, MB', digits: 0 },
  { key: 'serverIdleMb', label: 'server RSS, MB', digits: 0 },
];

/** Limits the time that a run spends on the official contender. */
const officialUpToMb = (quick) => (quick ? 8 : 32);

export function cases({ quick }) {
  const sizesMb = quick ? [1, 8, 32] : [1, 8, 32, 64, 100];
  const reason = 'its time is quadratic in the size';
  const sizes = sizesMb.map((mb) => ({
    label: label(mb),
    metrics: ['seconds', 'clientPeak', 'serverPeak'],
    bytes: mb * MB,
    skip: mb > officialUpToMb(quick) ? { official: reason } : {},
  }));
  return [{ label: 'idle', metrics: ['clientIdleMb', 'serverIdleMb'], bytes: 0 }, ...sizes];
}

function label(mb) {
  return `${mb} MB`;
}

export async function measure(contender, { bytes }) {
  const { connect } = await contender.load();
  const client = await connect();
  await client.echo('warm');
  const clientIdle = usage();
  const serverIdle = await client.serverUsage();
  const text = payload(bytes);
  const startMs = performance.now();
  const answer = await client.echo(text);
  const seconds = (performance.now() - startMs) / 1000;
  checkWhole(answer, bytes);
  const server = await client.serverUsage();
  const clientPeak = usage().peakRssBytes / bytes;
  await client.close();
  return {
    seconds,
    clientPeak,
    serverPeak: server.peakRssBytes / bytes,
    clientIdleMb: clientIdle.peakRssBytes / MB,
    serverIdleMb: serverIdle.peakRssBytes / MB,
  };
}

export const targets = [
  {
    text: '32 MB: time, standpipe/raw',
    value: ({ ratio }) => ratio(label(32), 'standpipe', 'raw', 'seconds'),
    atMost: 1.2,
  },
  {
    text: 'standpipe: time of 64 MB / time of 8 MB',
    value: ({ median }) => median(label(64), 'standpipe', 'seconds') / median(label(8), 'standpipe', 'seconds'),
    atMost: 10,
  },
  {
    text: 'standpipe, largest message: peak RSS of the larger end, × message',
    value: ({ median, labels }) =>
      Math.max(...['clientPeak', 'serverPeak'].map((end) => median(labels.at(-1), 'standpipe', end))),
    atMost: 4,
  },
];
