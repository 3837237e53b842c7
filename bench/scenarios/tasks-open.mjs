// Tasks whose handlers still run: what the server keeps for each.

import { KB, MB } from '../payload.mjs';

const TASKS = 100_000;
const AT_ONCE = 64;
/** Plain calls before: code and buffers grow with calls, whatever these keep. */
const WARM_CALLS = 20_000;
const SETTLE_MS = 10_000;

export const title = 'memory of open tasks';
export const contenders = [{ name: 'standpipe' }];
export const metrics = [
  { key: 'rssMb', label: 'RSS, MB for all', digits: 0 },
  { key: 'heapKb', label: 'heap, KB a task', digits: 2 },
];

export const cases = ({ quick }) =>
  ['stdio', 'HTTP'].map((label) => ({
    label,
    over: label.toLowerCase(),
    tasks: quick ? TASKS / 10 : TASKS,
    mostRounds: 3,
  }));

export async function measure(_, { over, tasks }) {
  const { connect } = await import('../contenders/tasks/client.mjs');
  const { client, serverUsage, close } = await connect({ over, support: 'required' });
  const heapBytes = async () => Number((await client.callTool('heap')).content[0].text);
  try {
    await atOnce(WARM_CALLS, () => client.callTool('usage'));
    const heapBefore = await heapBytes();
    const { rssBytes } = await serverUsage();
    await atOnce(tasks, () => openTask(client));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)); // the heap is collected when nothing happens
    const rssMb = ((await serverUsage()).rssBytes - rssBytes) / MB;
    return { rssMb, heapKb: ((await heapBytes()) - heapBefore) / KB / tasks };
  } finally {
    await close();
  }
}

async function openTask(client) {
  const { taskId } = await client.callTool('stay', { text: 'text' }, { task: 'handle' });
  if (!taskId) throw new Error('the call was answered without a task');
}

async function atOnce(count, run) {
  let left = count;
  const runner = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
}

export const targets = ['stdio', 'HTTP'].flatMap((label) => [
  {
    text: `${TASKS.toLocaleString('en-US')} open tasks, ${label}: RSS, MB`,
    value: ({ median }) => median(label, 'standpipe', 'rssMb'),
    atMost: 200,
  },
  {
    text: `${TASKS.toLocaleString('en-US')} open tasks, ${label}: heap, KB a task`,
    value: ({ median }) => median(label, 'standpipe', 'heapKb'),
    atMost: 2,
  },
]);
