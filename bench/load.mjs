// Steady load on a connection: a number of calls in flight for a given time.

import { usage } from './contenders/usage.mjs';
import { checkWhole, payload } from './payload.mjs';

/** Ends a load whose calls take almost no time. */
const MOST_CALLS = 10_000_000;

/** Resolves to the number of calls and their total time, including the last answer. */
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
 * Runs `load` after a warm-up with 64 calls in flight, because the compiler needs many calls. Also counts the processor
 * time of both ends, which other load on the machine does not stretch.
 */
export async function warmLoad(client, { warmMs, ...wanted }) {
  await load(client, { ...wanted, inFlight: 64, durationMs: warmMs });
  const cpuBeforeUs = await cpuOfBothUs(client);
  const { calls, elapsedMs } = await load(client, wanted);
  return { calls, elapsedMs, cpuUs: (await cpuOfBothUs(client)) - cpuBeforeUs };
}

/**
 * Runs `load` after the same warm-up and records the time of each call, because an average would hide the slowest
 * calls.
 */
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
