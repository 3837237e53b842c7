// `standpipe replay` with a long recording: from its start to the first answer, to an answer at the end of the file, and its memory.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cliPath } from '../contenders/cli/path.mjs';
import {
  casesOfLongRecordings,
  EVENTS,
  EVENTS_PER_CALL,
  longRecordings,
  paramsOfCall as params,
  peakRssMb,
} from '../long-recording.mjs';

export const title = `replay of a recording of ${EVENTS.toLocaleString('en')} events`;
export const contenders = [{ name: 'replay' }];
export const metrics = [
  { key: 'firstMs', label: 'ms from the start to the first answer of a tool', digits: 0 },
  { key: 'lastMs', label: 'ms to the answer at the end of the file', digits: 0 },
  { key: 'peakMb', label: 'peak RSS, MB', digits: 0 },
];

export const cases = casesOfLongRecordings;

export const background = longRecordings;

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
