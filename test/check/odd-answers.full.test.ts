import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkLiteMcpServer } from '../../src/check/litemcp/server/check-lite-server.ts';
import { checkServer } from '../../src/check/server/check-server.ts';

const server = fileURLToPath(new URL('../fixtures/check/answers-oddly.mjs', import.meta.url));

test('unusual answers lead to a report: deep nesting, many answers, names of the prototype, objects without a string form', async () => {
  const report = await checkServer({
    command: process.execPath,
    args: [server],
    revisions: ['2026-07-28', '2025-06-18'],
    skip: ['robustness', 'wire'],
  });
  expect(report.revisions).toEqual(['2026-07-28', '2025-06-18']);
  expect(report.counts.failed).toBeGreaterThan(0);
});

test('ids of a LiteMCP server without a string form, and deep answers, lead to a report', async () => {
  const odd = { version: [1, 0, 0], id: { toString: 5 }, type: 'info', data: {} };
  const deep = `{"version":[1,0,0],"id":1,"type":"info","data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const program = `process.stdout.write(${JSON.stringify(`${JSON.stringify(odd)}\n\n\n${deep}\n\n\n`)});`;
  const report = await checkLiteMcpServer({ command: process.execPath, args: ['-e', program] });
  expect(report.counts.failed).toBeGreaterThan(0);
});

test('a server that answers before the newline of a message passes the rule about split writes', async () => {
  // Parses JSON without lines, so that the answer arrives before the rule has sent the newline.
  const program = `let text = '';
    process.stdin.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      for (;;) {
        const end = ends(text);
        if (end < 0) return;
        answer(JSON.parse(text.slice(0, end)));
        text = text.slice(end);
      }
    });
    function ends(text) {
      let depth = 0, quoted = false;
      for (let at = 0; at < text.length; at++) {
        if (text[at] === '\\\\' && quoted) at++;
        else if (text[at] === '"') quoted = !quoted;
        else if (!quoted && text[at] === '{') depth++;
        else if (!quoted && text[at] === '}' && --depth === 0) return at + 1;
      }
      return -1;
    }
    function answer({ id, method, params }) {
      if (id === undefined) return;
      const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo: { name: 'a', version: '1' } };
      const error = { code: -32601, message: 'x' };
      const isKnown = method === 'initialize' || method === 'ping';
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(isKnown ? { result: method === 'ping' ? {} : result } : { error }) }));
    }`;
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: ['-e', program],
    revisions: ['2025-06-18'],
    only: ['wire/split-writes'],
  });
  expect(outcomes).toMatchObject([{ rule: 'wire/split-writes', status: 'passed' }]);
});

test('a slow list is not reported as unanswered while pings are answered', async () => {
  // The early list is answered together with the next one, after any number of pings.
  const program = `let list, isOpen;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const answer = (to, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id: to, result }));
      if (method === 'initialize') isOpen = true;
      if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } });
      else if (method === 'ping') answer(id, {});
      else if (method === 'tools/list') {
        if (!isOpen) return (list = id);
        if (list !== undefined) answer(list, { tools: [] });
        answer(id, { tools: [] });
      } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'x' } }));
    })`;
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: ['-e', program],
    revisions: ['2025-06-18'],
    only: ['lifecycle/requests-before-initialize'],
    timeoutMs: 3_000,
  });
  expect(outcomes).toMatchObject([{ rule: 'lifecycle/requests-before-initialize', status: 'passed' }]);
});
