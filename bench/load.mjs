// Steady load on a connection: so many calls in flight, for so long.

import { usage } from './contenders/usage.mjs';
import { checkWhole, payload } from './payload.mjs';

/** A bound on top of the time, for calls that take none. */
const MOST_CALLS = 10_000_000;

/** Resolves to the calls made and the time they took, the last answer included. */
export async function load(client, { inFlight, bytes, durationMs }) {
  const text = payload(bytes);
  const startMs = performance.now();
  const stopMs = startMs + durationMs;
  let calls = 0;
  const caller = async () => {
    while (performance.now() < stopMs && calls < MOST_CALLS) {
      calls++;
      const answer = await client.echo(text);
      checkWhole(answer, bytes);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return { calls, elapsedMs: performance.now() - startMs };
}

/**
 * The same after a warm-up, which is always crowded: the compiler wants many calls, not much time. Counts the processor
 * time of both ends too, which a busy machine does not stretch.
 */
export async function warmLoad(client, { warmMs, ...wanted }) {
  await load(client, { ...wanted, inFlight: 64, durationMs: warmMs });
  const cpuBeforeUs = await cpuOfBothUs(client);
  const { calls, elapsedMs } = await load(client, wanted);
  return { calls, elapsedMs, cpuUs: (await cpuOfBothUs(client)) - cpuBeforeUs };
}

/** Every call by itself, after the same warm-up: an average would hide what a few of them wait for. */
export async function timedLoad(client, { warmMs, ...wanted }) {
  await load(client, { ...wanted, inFlight: 64, durationMs: warmMs });
  const takenMs = [];
  const timed = {
    async echo(text) {
      const startMs = performance.now();
      const answer = await client.echo(text);
      takenMs.push(performance.now() - startMs);
      return answer;
    },
  };
  const { calls, elapsedMs } = await load(timed, wanted);
  takenMs.sort((a, b) => a - b);
  const quantileUs = (share) => takenMs[Math.floor((takenMs.length - 1) * share)] * 1000;
  return { perSecond: (calls * 1000) / elapsedMs, p50Us: quantileUs(0.5), p99Us: quantileUs(0.99) };
}

async function cpuOfBothUs(client) {
  return usage().cpuUs + (await client.serverUsage()).cpuUs;
}
