// A call that ends at once: of a tool without tasks, of one that may be a task, and of one that is a task from the start. The
// client declares the extension in all of them.

import { warmLoad } from '../load.mjs';

const COUNTED_CALLS = 20;

export const title = 'a call that ends at once, of a tool with tasks';
export const contenders = [
  { name: 'plain', support: '' },
  { name: 'optional', support: 'optional' },
  { name: 'required', support: 'required' },
];
export const ratios = [
  ['optional', 'plain'],
  ['required', 'plain'],
];
export const roundsFactor = 2;
export const metrics = [
  { key: 'messages', label: 'messages a call', digits: 1 },
  { key: 'cpuUs', label: 'CPU µs a call, all processes', digits: 1 },
];

export function cases({ quick }) {
  const times = { warmMs: quick ? 500 : 1500, durationMs: quick ? 500 : 1500 };
  const required = 'tasks of an entry are optional';
  const usage = 'processor time of another process is read on Linux only';
  const off = process.platform === 'linux' ? {} : { plain: usage, optional: usage };
  return [
    { label: 'stdio', over: 'stdio', ...times },
    { label: 'HTTP', over: 'http', ...times },
    { label: 'tasks of the entry', over: 'gateway', skip: { required, ...off }, ...times },
  ];
}

export async function measure({ support }, { over, warmMs, durationMs }) {
  const { connect, countMessages } = await import('../contenders/tasks/client.mjs');
  const { client, ...caller } = await connect({ over, support });
  try {
    const { calls, cpuUs } = await warmLoad(caller, { inFlight: 64, bytes: 100, warmMs, durationMs });
    const messages = await countMessages(client, async () => {
      for (let call = 0; call < COUNTED_CALLS; call++) await caller.echo('text');
    });
    return { messages: messages / COUNTED_CALLS, cpuUs: cpuUs / calls };
  } finally {
    await caller.close();
  }
}

export const targets = ['stdio', 'HTTP', 'tasks of the entry'].flatMap((label) =>
  metrics.map(({ key }) => ({
    text: `a call that ends at once, ${label}: ${key === 'messages' ? 'messages' : 'CPU'}, optional/plain`,
    value: ({ ratio }) => ratio(label, 'optional', 'plain', key),
    atMost: 1.3,
  })),
);
