import { expect, test } from 'vitest';
import { FlowStore } from '../flow/store.ts';
import { Analysis } from './analysis.ts';

const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } });
const probe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover' });

function watched() {
  const store = new FlowStore();
  const analysis = new Analysis();
  store.subscribe((event) => analysis.see(event, 0));
  const source = store.begin('remote');
  source.connected('https://a.example/mcp');
  const begin = (method = 'POST', headers = '') => source.exchange({ method, url: 'https://a.example/mcp', headers });
  const problems = () => analysis.problems.map(({ kind }) => kind);
  return { store, analysis, source, begin, problems };
}

test.each([
  ['POST', 401, '', ['login-needed']],
  ['POST', 403, '', ['login-needed']],
  ['POST', 404, 'accept: x\nMcp-Session-Id: 012345…', ['session-lost']],
  ['POST', 404, '', ['http-error']],
  ['POST', 405, '', ['http-error']],
  ['GET', 405, '', []],
  ['DELETE', 405, '', []],
  ['GET', 503, '', ['http-error']],
  ['POST', 307, '', []],
])('%s answered with %i and %j is %j', (method, status, headers, expected) => {
  const { begin, problems } = watched();
  begin(method, headers).answered(status, '', 'other');
  expect(problems()).toEqual(expected);
});

test('a probe that an older server refuses is not a problem', () => {
  const { begin, problems } = watched();
  const exchange = begin();
  exchange.sent(probe);
  exchange.answered(400, '', 'json');
  expect(problems()).toEqual([]);
});

test('reports a response that begins late, HTTP+SSE, a lost connection, and a message that is too long', () => {
  const { store, source, begin, problems } = watched();
  const late = { kind: 'http', state: 'answered', exchange: 9, method: 'POST', url: '', status: 200 } as const;
  store.append('remote', 1, { ...late, body: 'json', waitMs: 10_001 });
  source.learned({ transport: 'http+sse' });
  begin().tooLong?.(99);
  source.disconnected('gone');
  expect(problems()).toEqual(['slow-response', 'deprecated-transport', 'oversized-frame', 'unreachable']);
});

test.each([
  ['aborted', 'cancelled'],
  ['cut', 'lost'],
] as const)('a stream that is %s leaves its request %s until an answer arrives', (end, outcome) => {
  const { store, analysis, begin } = watched();
  const exchange = begin();
  exchange.sent(call);
  exchange.answered(200, '', 'stream');
  exchange.ended(end);
  const request = store.since(0).find(({ kind }) => kind === 'frame')!;
  expect(analysis.exchangesOf(request.seq)).toMatchObject([{ outcome }]);
  const answer = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":{}}');
  begin('GET').received(answer, 0, answer.length);
  expect(analysis.exchangesOf(request.seq)).toMatchObject([{ outcome: end === 'cut' ? 'ok' : 'cancelled' }]);
});

test('matches answers by HTTP request, even if other requests use the same ids', () => {
  const { store, analysis, begin } = watched();
  const exchanges = [begin(), begin()];
  for (const exchange of exchanges) exchange.sent(call);
  for (const [at, exchange] of [...exchanges.entries()].reverse()) {
    exchange.answered(200, '', 'json');
    const answer = new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"result":{"at":${at}}}`);
    exchange.received(answer, 0, answer.length);
  }
  const frames = store.since(0).flatMap((event) => (event.kind === 'frame' ? [event] : []));
  const answerOf = (at: number) => analysis.exchangesOf(frames[at]!.seq)[0]!.answerSeq;
  expect([answerOf(0), answerOf(1)]).toEqual([frames[3]!.seq, frames[2]!.seq]);
});

test('limits the memory for HTTP requests', () => {
  const { store, analysis, begin } = watched();
  const first = begin();
  first.sent(call);
  first.answered(200, '', 'stream');
  const { seq } = store.since(0).at(-1)!;
  const message = new TextEncoder().encode('{}');
  for (let i = 0; i < 100; i++) first.received(message, 0, 2);
  const event = store.get(seq)!;
  expect(analysis.http.of(event)).toMatchObject({ frameCount: 101, beganSeq: seq });
  expect(analysis.http.of(event)!.frames).toHaveLength(50);
  for (let i = 0; i < 20_000; i++) begin().answered(200, '', 'json');
  expect(analysis.http.of(event)).toBeUndefined();
});
