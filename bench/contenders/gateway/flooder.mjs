// A client in a separate process that keeps a number of requests in flight until it is killed. Started by `startFlood`
// below.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadGateway, openClients } from './load.mjs';

const ownPath = fileURLToPath(import.meta.url);

/** Resolves, when all requests are in flight, to a function that kills the client. */
export async function startFlood(target, wanted) {
  const child = fork(ownPath, [JSON.stringify({ target, wanted })], { execArgv: [] });
  const exited = once(child, 'exit');
  const [ready] = await Promise.race([once(child, 'message'), exited]);
  if (ready !== 'flooding') throw new Error('the client that floods has ended');
  return async () => {
    child.kill('SIGKILL');
    await exited;
  };
}

if (process.argv[1] === ownPath) {
  process.once('disconnect', () => process.exit());
  const { target, wanted } = JSON.parse(process.argv[2]);
  const clients = await openClients(target, { clients: 1, ...wanted });
  await loadGateway(clients, { ...wanted, durationMs: 500 });
  process.send('flooding');
  await loadGateway(clients, { ...wanted, durationMs: Number.POSITIVE_INFINITY });
}
