// `standpipe replay` with a long recording: from its start to the first answer, to an answer at the end of the file, and its memory.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cliPath } from '../contenders/cli/path.mjs';
import { KB, MB } from '../payload.mjs';
import { makeTempFolder } from '../temp-folder.mjs';

const EVENTS = 200_000;
const EVENTS_OF_A_QUICK_LOOK = 20_000;
const EVENTS_PER_CALL = 4;

export const title = `replay of a recording of ${EVENTS.toLocaleString('en')} events`;
export const contenders = [{ name: 'replay' }];
export const metrics = [
  { key: 'firstMs', label: 'ms from the start to the first answer of a tool', digits: 0 },
  { key: 'lastMs', label: 'ms to the answer at the end of the file', digits: 0 },
  { key: 'peakMb', label: 'peak RSS, MB', digits: 0 },
];

export const cases = ({ quick }) => [{ label: 'recording', events: quick ? EVENTS_OF_A_QUICK_LOOK : EVENTS }];

export async function background() {
  const folder = makeTempFolder();
  const files = {};
  for (const events of [EVENTS, EVENTS_OF_A_QUICK_LOOK]) {
    files[events] = join(folder.path, `${events}.jsonl`);
    writeFileSync(files[events], recordingOf(events));
  }
  return { shared: { files }, end: async () => folder.remove() };
}

/** Calls with progress and stderr, each with its own arguments. */
function recordingOf(events) {
  const lines = [JSON.stringify({ standpipe: 'recording', version: 1, run: 'a', startedAt: new Date(0) })];
  const add = (members) => {
    const seq = lines.length;
    lines.push(JSON.stringify({ run: 'a', seq, atMs: seq, server: 'recorded', life: 1, ...members }));
  };
  const frame = (direction, message) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    add({ kind: 'frame', direction, length: text.length, text });
  };
  const serverInfo = { name: 'recorded', version: '1' };
  frame('toServer', { id: 'i', method: 'initialize', params: {} });
  frame('fromServer', { id: 'i', result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  for (let id = 0; id < events / EVENTS_PER_CALL; id++) {
    frame('toServer', { id, method: 'tools/call', params: { ...params(id), _meta: { progressToken: id } } });
    frame('fromServer', { method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    add({ kind: 'stderr', length: 16, text: 'it works on that' });
    frame('fromServer', { id, result: { content: [{ type: 'text', text: `answer ${id} ${'x'.repeat(100)}` }] } });
  }
  return `${lines.join('\n')}\n`;
}

const params = (id) => ({ name: 'search', arguments: { query: `number ${id}`, limit: 10 } });

export async function measure(_contender, { events }, { files }) {
  const startMs = performance.now();
  const child = spawn(process.execPath, [cliPath, 'replay', files[events]], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = async (id) => {
    for (;;) {
      const { value } = await lines.next();
      const message = JSON.parse(value);
      if (message.id !== id) continue;
      if (message.error) throw new Error(message.error.message);
      return performance.now() - startMs;
    }
  };
  try {
    const clientInfo = { name: 'bench', version: '1' };
    send({ id: 'i', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    await answered('i');
    send({ method: 'notifications/initialized' });
    send({ id: 1, method: 'tools/call', params: params(0) });
    const firstMs = await answered(1);
    send({ id: 2, method: 'tools/call', params: params(events / EVENTS_PER_CALL - 1) });
    const lastMs = await answered(2);
    return { firstMs, lastMs, peakMb: peakRssMb(child.pid) };
  } finally {
    child.kill();
  }
}

function peakRssMb(pid) {
  if (process.platform !== 'linux') return undefined;
  const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(kb) * KB) / MB;
}

export const targets = [
  {
    text: 'replay of a long recording: ms to the first answer',
    value: ({ median }) => median('recording', 'replay', 'firstMs'),
    atMost: 1000,
  },
  {
    text: 'replay of a long recording: peak RSS, MB',
    value: ({ median }) => median('recording', 'replay', 'peakMb'),
    atMost: 300,
  },
];
