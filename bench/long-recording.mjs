// A recording of 200,000 events, for the commands that read one.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KB, MB } from './payload.mjs';
import { makeTempFolder } from './temp-folder.mjs';

export const EVENTS = 200_000;
const EVENTS_OF_A_QUICK_LOOK = 20_000;
export const EVENTS_PER_CALL = 4;

export const casesOfLongRecordings = ({ quick }) => [
  { label: 'recording', events: quick ? EVENTS_OF_A_QUICK_LOOK : EVENTS },
];

export async function longRecordings() {
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
    frame('toServer', { id, method: 'tools/call', params: { ...paramsOfCall(id), _meta: { progressToken: id } } });
    frame('fromServer', { method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    add({ kind: 'stderr', length: 16, text: 'it works on that' });
    frame('fromServer', { id, result: { content: [{ type: 'text', text: `answer ${id} ${'x'.repeat(100)}` }] } });
  }
  return `${lines.join('\n')}\n`;
}

export const paramsOfCall = (id) => ({ name: 'search', arguments: { query: `number ${id}`, limit: 10 } });

export function peakRssMb(pid) {
  if (process.platform !== 'linux') return undefined;
  const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(kb) * KB) / MB;
}
