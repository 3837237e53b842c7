// A tool reports progress three times and returns in the same turn: how many of 50 consecutive calls receive all three,
// and the cost of a call. The official client loses progress that it reads together with the answer, so each contender
// names its client, its transport and its server.

import { official, officialOnOurs, ours } from '../contenders/progress/clients.mjs';

const CALLS = 50;
const STEPS = 3;
const IN_FLIGHT = 64;

export const title = 'progress and the answer in one turn, 50 calls';
export const contenders = [
  { name: 'official', connect: () => official(['official-server.mjs', 'official']) },
  { name: 'our server transport', connect: () => official(['official-server.mjs', 'ours']) },
  { name: 'our server', connect: () => official(['our-server.mjs']) },
  { name: 'our client transport', connect: () => officialOnOurs(['official-server.mjs', 'official']) },
  { name: 'ours', connect: () => ours(['our-server.mjs']) },
];
export const ratios = [['our server transport', 'official']];
export const metrics = [
  { key: 'whole', label: 'calls of 50 with all progress', digits: 0 },
  { key: 'callUs', label: 'µs a call', digits: 0 },
  { key: 'plainUs', label: 'µs a call without progress', digits: 0 },
  { key: 'perSecond', label: `calls/s, ${IN_FLIGHT} in flight`, digits: 0 },
];

export const cases = ({ quick }) => [{ label: '3 steps', warmCalls: quick ? 50 : 500, calls: quick ? 500 : 5000 }];

export async function measure({ connect }, { warmCalls, calls }) {
  const client = await connect();
  const plain = () => client.call();
  const reporting = () => client.call(() => undefined);
  await many(warmCalls, 1, plain);
  let whole = 0;
  const callUs = await many(CALLS, 1, async () => {
    let steps = 0;
    await client.call(() => steps++);
    if (steps === STEPS) whole++;
  });
  const plainUs = await many(calls / 10, 1, plain);
  const perSecond = 1e6 / (await many(calls, IN_FLIGHT, reporting));
  await client.close();
  return { whole, callUs, plainUs, perSecond };
}

/** Microseconds per call. */
async function many(calls, inFlight, call) {
  let left = calls;
  const startMs = performance.now();
  const caller = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return ((performance.now() - startMs) * 1000) / calls;
}

export const targets = [
  ...['our server transport', 'our server'].map((contender) => ({
    text: `calls of ${CALLS} whose progress reaches the official client: ${contender}`,
    value: ({ median }) => median('3 steps', contender, 'whole'),
    atLeast: 48,
  })),
  ...['our client transport', 'ours'].map((contender) => ({
    text: `calls of ${CALLS} with all progress: ${contender}`,
    value: ({ median }) => median('3 steps', contender, 'whole'),
    atLeast: CALLS,
  })),
];
