// Reports about a server that does not open: the diagnosis, its fix, and the number of processes that were started. If the output proves
// the mistake, the limit of an answer is longer than that of a test.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkServer } from '../../src/check/server/check-server.ts';
import { hasPython } from '../fixtures/python.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('does-not-open');
const fixture = (name: string) => join(import.meta.dirname, '../fixtures/diagnosis', name);
const node = (name: string) => [process.execPath, fixture(name)];
const script = (code: string) => [process.execPath, '-e', code];
/** `id`: expression for the id of an answer. */
const answering = (id: string) =>
  script(`require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: {}, tools: [] };
    const answer = method === 'server/discover' ? { error: { code: -32601, message: 'x' } } : { result };
    console.log(JSON.stringify({ jsonrpc: '2.0', id: ${id}, ...answer }));
  })`);
const withoutNewline = script(`process.stdin.on('data', () => {
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
})`);
const FOR_EVER_MS = 2 ** 30;

async function check([command = '', ...args]: string[], timeoutMs: number) {
  const { outcomes, revisions } = await checkServer({ command, args, timeoutMs, only: ['lifecycle/opens'] });
  return { revisions, ...outcomes[0]! };
}

const mistakes: [name: string, words: string[], reason: RegExp, fix: RegExp][] = [
  ['prints_repr.py', ['python3', fixture('prints_repr.py')], /Python's repr of a dict/, /json\.dumps/],
  ['needs-a-package.mjs', node('needs-a-package.mjs'), /package|module/, /npm install/],
  ['wants-arguments.mjs', node('wants-arguments.mjs'), /usage/i, /"args"/],
  ['an echo', script('process.stdin.pipe(process.stdout)'), /echoes its input/, /not a server/],
  ['a crash', script('console.error("Error: no disk"); process.exit(3)'), /exited with code 3.*no disk/, /stderr/],
  ['a missing newline', withoutNewline, /does not end its messages with a newline/, /\\n/],
  ['an id as text', answering('`${id}`'), /no answer to `initialize` .* id as text \("1" for 1\)/, /with its type/],
  ['an id as text later', answering('id === 1 ? 1 : `${id}`'), /`ping`: .* \("2" for 2\)/, /with its type/],
];

test.concurrent.each(mistakes.filter(([, [command]]) => hasPython || command !== 'python3'))(
  'explains %s before the timeout of an answer',
  async (_, words, reason, fix) => {
    const found = await check(words, FOR_EVER_MS);
    expect(found).toMatchObject({ status: 'failed', revisions: [], reason: expect.stringMatching(reason) });
    expect(found.fix).toMatch(fix);
  },
);

test.concurrent.each([
  ['reads-to-the-end.mjs', /There was no answer to `initialize` of 2025-11-25 within 10 s\. The server .*stdin/, /./],
  ['speaks-litemcp.mjs', /LiteMCP/, /--litemcp/],
])('explains %s by its output at the end of stdin', async (name, reason, fix) => {
  const found = await check(node(name), 10_000);
  expect(found.reason).toMatch(reason);
  expect(found.fix).toMatch(fix);
});

test.skipIf(!hasPython).concurrent('the fix for a silent server names the flush of its language', async () => {
  const found = await check(['python3', '-c', 'import sys; sys.stdin.read()'], 1_000);
  expect(found).toMatchObject({ status: 'failed', fix: expect.stringContaining('flush=True') });
});

test.concurrent('a slow start is not reported as a violation or a missing flush, although the answer arrives after the timeout', async () => {
  const [command = '', flag = '', code = ''] = answering('id');
  const found = await check([command, flag, `setTimeout(() => { ${code} }, 12_000)`], 10_000);
  expect(found).toMatchObject({ status: 'not applicable', untested: true });
  expect(found.reason).toMatch(
    /^the server starts slowly: its first answer arrived \d+ s after its start, and the limit is 10 s\. Raise --timeout/,
  );
});

test.concurrent('an answer that arrives late, while another revision is tried, is not reported as missing', async () => {
  const code = `let isAsked = false;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const send = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const supportedVersions = ['2026-07-28'];
    if (method === 'server/discover' && !isAsked && (isAsked = true))
      return send({ resultType: 'complete', supportedVersions, capabilities: {}, ttlMs: 0, cacheScope: 'private' });
    const { protocolVersion } = params;
    if (method === 'initialize') setTimeout(() => send({ protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } }), 7_000);
  })`;
  const found = await check(script(code), 5_000);
  expect(found).toMatchObject({ rule: 'lifecycle/opens', status: 'not applicable', untested: true });
  expect(found.reason).toMatch(/^the server starts slowly/);
});

test.concurrent('a silent server is started once in each era, and once more for the diagnosis', async () => {
  const file = join(folder, 'starts');
  const code = `require('node:fs').appendFileSync(${JSON.stringify(file)}, 'x'); process.stdin.resume()`;
  const found = await check(script(code), 3_000);
  expect(found).toMatchObject({
    status: 'failed',
    reason: 'There was no answer to `initialize` of 2025-11-25 within 3 s.',
  });
  expect(existsSync(file) ? readFileSync(file, 'utf8').length : 0).toBeLessThanOrEqual(3);
});

test.concurrent('a legacy server that ignores server/discover opens without waiting for the timeout', async () => {
  const code = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'ping') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    if (method !== 'initialize') return;
    const { protocolVersion } = params;
    const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'old', version: '1' } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  })`;
  const { revisions } = await check(script(code), FOR_EVER_MS);
  expect(revisions).toEqual(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
});

test.concurrent('the reason names the version of a server of another version', async () => {
  const result = { protocolVersion: '2024-10-07', capabilities: {}, serverInfo: { name: 'older', version: '1' } };
  const code = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) =>
    console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: ${JSON.stringify(result)} })))`;
  const found = await check(script(code), FOR_EVER_MS);
  expect(found.reason).toBe(
    'The server did not accept a revision of MCP: `initialize` was answered with the version "2024-10-07".',
  );
  expect(found.fix).toMatch(/published version/);
});

const refusing = (error: object) =>
  script(`require('node:readline').createInterface({ input: process.stdin }).on('line', (line) =>
    console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, error: ${JSON.stringify(error)} })))`);

test.concurrent('an error that is not about versions is reported as it is, without advice about versions', async () => {
  const found = await check(refusing({ code: -32603, message: 'database not reachable' }), FOR_EVER_MS);
  expect(found).toMatchObject({
    rule: 'lifecycle/opens',
    reason: '`initialize` was answered with the error -32603 "database not reachable".',
  });
  expect(found.fix).toMatch(/^Answer `initialize` with a result\./);
  expect(found.fix).not.toMatch(/version/);
});

test.concurrent.each([
  { code: -32602, message: 'Unsupported protocol version' },
  { code: -32022, message: 'No', data: { supported: ['1999-01-01'] } },
])('the error %j is a refused version', async (error) => {
  const { reason, fix } = await check(refusing(error), FOR_EVER_MS);
  expect(reason).toMatch(/^The server did not accept a revision of MCP: `\S+` was answered with the error/);
  expect(fix).toMatch(/published version/);
});

test.concurrent.each([
  ['', /^Read the error on stderr\. Catch errors/],
  [`console.error('Error: no disk');`, /stderr output shows the reason/],
])('a server that answers `initialize` and exits violates the rule about exits: %j', async (before, fix) => {
  const code = `process.stdin.on('data', (data) => {
    const { id, method } = JSON.parse(data.toString().split('\\n')[0]);
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'brief', version: '1' } };
    const error = { code: -32601, message: 'Method not found' };
    const answer = { jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) };
    process.stdout.write(JSON.stringify(answer) + '\\n', () => {
      if (method !== 'initialize') return;
      ${before}
      process.exit(0);
    });
  })`;
  const found = await check(script(code), FOR_EVER_MS);
  expect(found).toMatchObject({ rule: 'lifecycle/keeps-running', status: 'failed' });
  expect(found.reason).toMatch(/exited with code 0 while connected/);
  expect(found.fix).toMatch(fix);
});

test.concurrent('a server that opens in an earlier revision and exits then is explained by its exit', async () => {
  const code = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'tools/list') { console.error('Error: connect ECONNREFUSED'); process.exit(1); }
    if (id === undefined) return;
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } };
    const error = { code: -32601, message: 'Method not found' };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) }));
  })`;
  const found = await check(script(code), FOR_EVER_MS);
  expect(found.rule).toBe('lifecycle/keeps-running');
  expect(found.reason).toMatch(/exited with code 1 while connected.*ECONNREFUSED/);
});

test.concurrent.each([
  [
    'supported_versions: ["2026-07-28"]',
    'modern/discover-versions',
    /has no supportedVersions, but `supported_versions`\.$/,
  ],
  ['other: 1', 'modern/discover-versions', /has no supportedVersions\.$/],
  ['supportedVersions: "2026-07-28"', 'modern/discover-versions', /has supportedVersions that are a string\.$/],
  ['supportedVersions: []', 'modern/discover-versions', /has supportedVersions that are an empty array\.$/],
  ['supportedVersions: [7]', 'modern/discover-versions', /has supportedVersions that are not strings\.$/],
  ['supportedVersions: ["2099-01-01"]', 'lifecycle/opens', /`server\/discover` was answered with the versions \["2099/],
])('reports the mistake in an answer to server/discover with %s', async (member, rule, reason) => {
  const code = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = { resultType: 'complete', capabilities: {}, ttlMs: 0, cacheScope: 'private', ${member} };
    const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'server/discover' ? { result } : { error }) }));
  })`;
  const found = await check(script(code), FOR_EVER_MS);
  expect(found).toMatchObject({ rule, status: 'failed', reason: expect.stringMatching(reason) });
  expect(found.evidence!.map(({ text }) => text).join()).toContain('"server/discover"');
  expect(found.evidence!.map(({ text }) => text).join()).not.toContain('"initialize"');
});
