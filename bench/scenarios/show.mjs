// `standpipe show` of a long recording: processor time and memory of the process, from its start to its end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cliPath } from '../contenders/cli/path.mjs';
import { casesOfLongRecordings, EVENTS, longRecordings } from '../long-recording.mjs';
import { KB, MB } from '../payload.mjs';

export const title = `show of a recording of ${EVENTS.toLocaleString('en')} events`;
export const contenders = ['errors', 'tool', 'text', 'everything'].map((name) => ({ name }));
export const metrics = [
  { key: 'cpuMs', label: 'ms of processor time', digits: 0 },
  { key: 'peakMb', label: 'peak RSS, MB', digits: 0 },
];
export const cases = casesOfLongRecordings;
export const background = longRecordings;

const filters = {
  errors: ['--errors'],
  tool: ['--tool', 'search', '--slower', '1h'],
  text: ['--text', 'number 4999'],
  everything: [],
};

/** The process reports its own usage at its exit. */
const report = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('fs').writeSync(3, JSON.stringify({ cpuMs: (user + system) / 1000, peakKb: process.resourceUsage().maxRSS }));
});`;

export async function measure({ name }, { events }, { files }) {
  const preload = `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; const require = createRequire('/'); ${report}`)}`;
  const args = ['--import', preload, cliPath, 'show', files[events], ...filters[name]];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  child.stdout.resume();
  let text = '';
  child.stdio[3].on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`show exited with ${code}`);
  const { cpuMs, peakKb } = JSON.parse(text);
  return { cpuMs, peakMb: (peakKb * KB) / MB };
}

export const targets = ['errors', 'tool', 'text'].map((name) => ({
  text: `show of a long recording, filtered by ${name}: ms of processor time`,
  value: ({ median }) => median('recording', name, 'cpuMs'),
  atMost: 2000,
}));
