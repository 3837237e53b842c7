// Recordings that would make `verify` send requests which the user did not allow.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VerifyReport } from '../../src/entry/recording.ts';
import { runCli } from '../cli/run-cli.ts';
import { folder, WrittenRecording } from '../replay/written-recording.ts';

/** Writes down the tools that run and the tasks that it cancels. It takes an array with one name as the name, and `read_1234` returns another name. */
const server = join(folder, 'lenient.mjs');
writeFileSync(
  server,
  `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tool = (name, readOnlyHint) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint } });
const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } };
const answers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [tool('read_1234', true), tool('remove_1234', false)] }),
  'tools/call': ({ name }) => {
    appendFileSync(process.argv[2], name + '\\n');
    return { content: [{ type: 'text', text: 'remove_1234' }] };
  },
  'tasks/cancel': ({ taskId }) => appendFileSync(process.argv[2], 'cancel ' + taskId + '\\n'),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (answers[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) ?? {} }));
});
`,
);

let journals = 0;

async function verified(recording: WrittenRecording): Promise<{ ran: string; last: VerifyReport['results'][number] }> {
  const journal = join(folder, `ran-${++journals}.txt`);
  const { stdout } = await runCli(['verify', recording.write(), '--json', '--', process.execPath, server, journal]);
  const { results } = JSON.parse(stdout) as VerifyReport;
  return { ran: existsSync(journal) ? readFileSync(journal, 'utf8') : '', last: results.at(-1)! };
}

const recording = () => new WrittenRecording().initialize({ tools: {} });

test('a tool is not called by an array with its name', async () => {
  const call = recording()
    .request(1, 'tools/call', { name: ['remove_1234'] })
    .text(1, 'done');
  const { ran, last } = await verified(call);
  expect({ ran, last }).toMatchObject({ ran: '', last: { status: 'failing' } });
});

test('an answer that puts another tool in place of a recorded one does not run it', async () => {
  const calls = recording().call(1, 'read_1234').text(1, 'read_1234').call(2, 'read_1234', { again: true });
  const { ran, last } = await verified(calls.text(2, 'done'));
  expect({ ran, last }).toMatchObject({ ran: 'read_1234\n', last: { status: 'skipped', cause: 'permission' } });
});

test('a task that no call of the recording created is not cancelled', async () => {
  const { ran, last } = await verified(recording().request(1, 'tasks/cancel', { taskId: '1' }).result(1, {}));
  expect({ ran, last }).toMatchObject({ ran: '', last: { status: 'skipped', cause: 'permission' } });
});
