// Idle sessions, whose clients have opened them and then closed their connections: the memory that the gateway keeps for
// each session.

import { openClient } from '../contenders/gateway/mcp-client.mjs';
import { processTree } from '../contenders/gateway/process-tree.mjs';
import { startGateway } from '../contenders/gateway/start.mjs';
import { KB } from '../payload.mjs';

/** The gateway allows 10,000 sessions, and the client that waits for its start has one. */
const SESSIONS = 9_990;
/** The first sessions make the heap grow, so they are not counted. */
const WARM_SESSIONS = 500;
const AT_ONCE = 20;
const SETTLE_MS = 10_000;

export const title = 'memory of idle sessions';
export const contenders = [{ name: 'standpipe' }];
export const metrics = [{ key: 'rssKb', label: 'RSS, KB a session', digits: 1 }];

export function cases({ quick }) {
  const sessions = quick ? 2000 : SESSIONS;
  const reason = 'memory of another process is read on Linux only';
  return [
    {
      label: 'idle sessions',
      sessions,
      mostRounds: 3,
      skip: process.platform === 'linux' ? {} : { standpipe: reason },
    },
  ];
}

export async function measure({ name }, { sessions }) {
  const { pid, target, end } = await startGateway(name);
  try {
    await openSessions(target, WARM_SESSIONS);
    const before = processTree(pid).rssBytes;
    await openSessions(target, sessions - WARM_SESSIONS);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)); // garbage is collected while the gateway is idle
    return { rssKb: (processTree(pid).rssBytes - before) / KB / (sessions - WARM_SESSIONS) };
  } finally {
    await end();
  }
}

async function openSessions(target, count) {
  let left = count;
  const opener = async () => {
    while (left-- > 0) {
      const client = await openClient(target, { name: 'idle', revision: '2025-11-25', connections: 1 });
      client.vanish();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, opener));
}

export const targets = [
  {
    text: 'KB that an idle session takes',
    value: ({ median }) => median('idle sessions', 'standpipe', 'rssKb'),
    atMost: 50,
  },
];
