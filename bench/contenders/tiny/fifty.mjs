// Fifty small servers at once, under a host and under fifty independent clients. Both resolve to `{ close }` once every
// server has answered.

import { connect } from '../../../dist/entry/client.js';
import { openHost } from '../host/open-host.mjs';
import { serverCommand } from '../server-command.mjs';

export async function hostOf(count) {
  const servers = Array.from({ length: count }, (_, i) => [`tiny-${i}`, serverCommand(import.meta.url)]);
  const { start, close } = await openHost(Object.fromEntries(servers));
  await start();
  return { close };
}

export async function clientsOf(count) {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => connect(serverCommand(import.meta.url))),
  );
  const close = () => Promise.all(outcomes.map(({ value }) => value?.close()));
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (!failed) return { close };
  await close();
  throw failed.reason;
}
