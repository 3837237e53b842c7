// Clients that each keep a number of calls in flight for a given time.

import { payload } from '../../payload.mjs';
import { Misdelivered, openClient } from './mcp-client.mjs';

export function openClients(target, { clients, inFlight, revision, name = 'client' }) {
  return Promise.all(
    Array.from({ length: clients }, (_, index) =>
      openClient(target, { name: `${name} ${index}`, revision, connections: inFlight }),
    ),
  );
}

/**
 * Resolves to the sorted durations of the calls, the number of misdelivered answers, and the number of progress
 * notifications.
 */
export async function loadGateway(clients, { inFlight, bytes, durationMs, withProgress }) {
  const padding = payload(bytes);
  const takenMs = [];
  let misdelivered = 0;
  let progress = 0;
  const startMs = performance.now();
  const stopMs = startMs + durationMs;
  const caller = async (client) => {
    for (let sentMs = startMs; sentMs < stopMs; ) {
      sentMs = performance.now();
      try {
        const came = await client.echo(padding, withProgress);
        progress += came;
      } catch (error) {
        if (!(error instanceof Misdelivered)) throw error;
        misdelivered++;
      }
      takenMs.push(performance.now() - sentMs);
    }
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: inFlight }, () => caller(client))));
  const elapsedMs = performance.now() - startMs;
  takenMs.sort((a, b) => a - b);
  return { takenMs, elapsedMs, misdelivered, progress };
}

export function quantile(sorted, share) {
  return sorted[Math.floor((sorted.length - 1) * share)];
}
