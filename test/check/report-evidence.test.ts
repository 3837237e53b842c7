// Bytes of a program in the evidence of a report: readable in any language, and without secrets.

import { expect, test } from 'vitest';
import { evidenceOf } from '../../src/check/report/evidence.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import type { Entry } from '../../src/check/transcript.ts';

const received = (bytes: string | number[]): Entry => ({ kind: 'received', bytes: Buffer.from(bytes as string) });
const stderr = (text: string): Entry => ({ kind: 'stderr', bytes: Buffer.from(text) });
const hide = (text: string) => text.replaceAll('hünter2', '***');

test.each([
  ['any language', received('漢字 עברית 👩‍👩‍👧 \ufffd'), '漢字 עברית 👩‍👩‍👧 \ufffd'],
  ['control characters', received('\x1b[2J\x00\x9b\ta\r'), '\\x1b[2J\\x00\\x9b\ta\\x0d'],
  ['bytes that are not UTF-8, in their place', received([0x61, 0xff, 0xe6, 0xbc, 0xa2, 0xc3]), 'a\\xff漢\\xc3'],
  ['a secret', received('key=hünter2'), 'key=***'],
  ['a secret beside bytes that are not UTF-8', received([...Buffer.from('key=hünter2'), 0xff]), 'key=***\\xff'],
])('shows %s', (_what, entry, text) => {
  expect(evidenceOf([entry], hide)).toEqual([{ kind: 'received', text, bytes: entry.bytes.length }]);
});

test('chunks of stderr are joined, so that a secret cut by the pipe is masked', () => {
  const lines = evidenceOf([stderr('key=hün'), stderr('ter2\n'), received('x'), stderr('y')], hide);
  expect(lines.map(({ text }) => text)).toEqual(['key=***\n', 'x', 'y']);
});

test('long text is cut between characters, and omitted entries are counted', () => {
  for (const shift of ['', 'x', 'xx', 'xxx']) {
    const [line] = evidenceOf([received(shift + '👩'.repeat(5_000))], hide);
    expect(line!.bytes).toBe(20_000 + shift.length);
    expect(line!.text).toMatch(/^x*(?:👩)+…$/u);
  }
  const many = evidenceOf(
    Array.from({ length: 100 }, (_, n) => received(`${n}`)),
    hide,
  );
  expect(many).toHaveLength(41);
  expect(many[0]).toMatchObject({ kind: 'event', text: '60 earlier entries are left out' });
});

test('the line with the error of a long trace on stderr is kept', () => {
  const trace = `TypeError: no such thing\n${'    at somewhere (file.mjs:1:2)\n'.repeat(200)}`;
  const [line] = evidenceOf([stderr(`started\n${trace}`)], hide);
  expect(line!.text).toMatch(/^…TypeError: no such thing\n….*at somewhere \(file\.mjs:1:2\)\n$/s);
  const [other] = evidenceOf([stderr('x'.repeat(5_000))], hide);
  expect(other!.text).toBe(`…${'x'.repeat(2_000)}`);
});

test('a secret in the name of a server is masked in the report', async () => {
  const script = `
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const serverInfo = { name: process.env.API_KEY, version: process.env.API_KEY };
      const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? result : {} }));
    });`;
  const report = await checkServer({
    command: process.execPath,
    args: ['-e', script],
    env: { API_KEY: 'correct-horse-battery' },
    only: ['lifecycle/opens'],
    revisions: ['2025-11-25'],
    allEvidence: true,
  });
  expect(report.revisions).toEqual(['2025-11-25']);
  expect(report.name).toBeDefined();
  expect(JSON.stringify(report)).not.toContain('correct-horse');
});

test.each([',"id":null', ''])('the evidence of a refused batch begins with the batch: error with %j', async (id) => {
  const code = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      if (Array.isArray(message)) return console.log('{"jsonrpc":"2.0"${id},"error":{"code":-32600,"message":"Invalid Request"}}');
      if (message.id === undefined) return;
      const serverInfo = { name: 'refuses', version: '1' };
      const result = message.method === 'ping' ? {} : { protocolVersion: '2025-03-26', capabilities: {}, serverInfo };
      console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    });`;
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: ['-e', code],
    revisions: ['2025-03-26'],
    only: ['jsonrpc/batches-are-answered'],
    timeoutMs: 60_000,
  });
  expect(outcomes[0]!.evidence!.map(({ kind, text }) => [kind, text.slice(0, 2)])).toEqual([
    ['sent', '[{'],
    ['received', '{"'],
  ]);
});
