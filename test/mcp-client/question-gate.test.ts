// Questions of a legacy server that several clients share: each goes to its own client or to none. The test writes
// every line of the server and advances the clock.

import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { AskingTools } from '../../src/mcp/client/session/asking-tools.ts';
import { GatedRequest } from '../../src/mcp/client/session/gated-request.ts';
import { QuestionGate } from '../../src/mcp/client/session/question-gate.ts';
import { newClient } from '../../src/mcp/service.ts';
import type { InputRequest, InputResponse } from '../../src/mcp/types.ts';
import type { PendingCall } from '../../src/wire/jsonrpc/outbound.ts';
import { TestCaller, TestWatcher } from '../contract/test-caller.ts';
import { type HeldServer, startHeldServer } from '../fixtures/mcp-client/held-server.ts';

const HELD_MS = 30_000;
const TIE_MS = 3_000;
const ABANDONED_MS = 30_000;
const ANSWER_MS = 60_000;

const accepting = (name: string) =>
  new TestCaller(async (_question: InputRequest): Promise<InputResponse> => ({ action: 'accept', content: { name } }));
function callerOf(principal: string, answer?: () => Promise<InputResponse>): TestCaller {
  const caller = new TestCaller(answer);
  return Object.assign(caller, { client: { ...caller.client, identity: newClient(principal) } });
}
const accepted = (name: string) => ({ action: 'accept', content: { name } });
const refused = expect.objectContaining({ code: -31001 });

/** A clock that advances with each reading, as on a busy machine. */
class RunningClock extends ManualClock {
  eachReadingMs = 0;
  #readMs = 0;

  override nowMs(): number {
    const nowMs = super.nowMs() + this.#readMs;
    this.#readMs += this.eachReadingMs;
    return nowMs;
  }
}

async function start(declared: boolean | string[] = false) {
  const clock = new RunningClock();
  const asking = new AskingTools(declared);
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const server = await startHeldServer({ era: 'legacy', clock, shared: { capabilities, asking } });
  const call = async (caller: TestCaller, name: string, options?: object) =>
    server.service.request('tools/call', { name }, options ? Object.assign(caller, { options }) : caller);
  return { ...server, clock, asking, call };
}

/** Waits until all sent messages have arrived and have been processed. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const names = ({ held }: Pick<HeldServer, 'held'>) => held.map(({ params }) => params?.name);

test('a question goes to the only client with a request, and to the handlers of the connection without one', async () => {
  const server = await start();
  expect(await server.ask()).toMatchObject({ code: -32601 });
  const ada = accepting('Ada');
  const first = server.call(ada, 'a');
  await server.has(1);
  expect(await server.ask()).toEqual(accepted('Ada'));
  await server.answer(0);
  await first;
  expect(server.asking.names).toEqual(['a']);
  await server.close();
});

test('several requests of one client do not make a question ambiguous', async () => {
  const server = await start();
  const caller = accepting('Ada');
  const requests = ['a', 'b'].map((name) => server.call(caller, name));
  await server.has(2);
  expect(await server.ask()).toEqual(accepted('Ada'));
  expect(server.asking.names).toEqual([]);
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  await server.close();
});

test('holds a question while two clients have requests, and delivers it to the client whose request stays pending', async () => {
  const server = await start();
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const requests = [server.call(ada, 'a'), server.call(alan, 'b')];
  await server.has(2);
  const answer = server.ask();
  await quiet();
  const third = server.call(accepting('Grace'), 'c');
  await quiet();
  expect([ada.asked, alan.asked]).toEqual([[], []]);
  // The third call was sent after the question arrived, so the question is not its own.
  expect(names(server)).toEqual(['a', 'b', 'c']);
  await server.answer(0);
  expect(await answer).toEqual(accepted('Alan'));
  await Promise.all([server.answer(1), server.answer(2), ...requests, third]);
  expect(server.asking).toMatchObject({ names: ['b'], refused: 0 });
  await server.close();
});

test('refuses a question that stays ambiguous, and suspects its tools until they send no more questions', async () => {
  const server = await start();
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const requests = [server.call(ada, 'a'), server.call(alan, 'b')];
  await server.has(2);
  const answer = server.ask();
  await quiet();
  server.clock.advance(HELD_MS);
  expect(await answer).toEqual(
    expect.objectContaining({ code: -31001, message: expect.stringContaining('"share": "client"') }),
  );
  expect(server.asking).toMatchObject({ names: ['a', 'b'], refused: 1 });
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  for (let run = 0; run < 3; run++) {
    const at = server.held.length;
    const [suspect, plain] = [server.call(ada, 'a'), server.call(alan, 'c')];
    const waiting = server.call(alan, 'b');
    await server.has(at + 2);
    await quiet();
    expect(names(server).slice(at)).toEqual(['a', 'c']);
    await Promise.all([server.answer(at), server.answer(at + 1), suspect, plain]);
    await server.has(at + 3);
    await server.answer(at + 2);
    await waiting;
  }
  expect(server.asking.names).toEqual([]);
  await server.close();
});

test('a name that cannot be converted to a string affects neither its request nor the timer of another', async () => {
  const server = await start(['other']);
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const name = { toString: 1, valueOf: 1 };
  const requests = [server.call(ada, 'a'), server.service.request('prompts/get', { name }, alan)];
  await server.has(2);
  const answer = server.ask();
  await quiet();
  server.clock.advance(HELD_MS);
  expect(await answer).toEqual(refused);
  // A prompt cannot have such a name, so it is not recorded.
  expect(server.asking.names).toEqual(['other', 'a']);
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  await server.close();
});

test('the answer to a refused question names no call, and the warning to the operator names at most five calls', async () => {
  const server = await start();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `secret-${letter}`);
  const requests = names.map((name) => server.call(accepting(name), name));
  await server.has(names.length);
  const answer = server.ask();
  await quiet();
  server.clock.advance(HELD_MS);
  const { message } = (await answer) as { message: string };
  expect(message).toContain('does not name the call');
  expect(message).not.toContain('secret');
  const warning = server.client.warnings.find(({ topic }) => topic === 'question-refused')!.message;
  expect(warning.match(/secret-./g)).toEqual(names.slice(0, 5));
  expect(warning).toContain('and others');
  await Promise.all([...names.map((_, at) => server.answer(at)), ...requests]);
  await server.close();
});

test('a name that is invalid for a tool is neither recorded nor repeated, and is not confused with another', async () => {
  const server = await start();
  const [long, most] = ['n'.repeat(129), 'n'.repeat(128)];
  const requests = [
    server.call(accepting('Ada'), long),
    server.call(accepting('Alan'), `${most}m`),
    server.call(accepting('Grace'), most),
    server.service.request('prompts/get', { name: long }, accepting('Edsger')),
    server.service.request('resources/read', { uri: 'x:y', name: long }, accepting('Barbara')),
    server.service.request(`x/${long}`, {}, accepting('Donald')),
  ];
  await server.has(requests.length);
  const answer = server.ask();
  await quiet();
  server.clock.advance(HELD_MS);
  expect(JSON.stringify(await answer)).not.toContain('nnn');
  expect(server.asking.names).toEqual([most, 'resources/read']);
  for (const { message } of server.client.warnings) expect(message).not.toContain(long);
  await Promise.all([...requests.map((_, at) => server.answer(at)), ...requests]);
  // The question is certain now, and its tool is still not recorded.
  const last = server.call(accepting('Ada'), long);
  await server.has(requests.length + 1);
  expect(await server.ask()).toEqual(accepted('Ada'));
  expect(server.asking.names).toEqual([most, 'resources/read']);
  await Promise.all([server.answer(requests.length), last]);
  await server.close();
});

test('refuses all questions but the oldest if each request may have sent one, which resolves the ambiguity', async () => {
  const server = await start();
  const callers = ['Ada', 'Alan', 'Grace'].map(accepting);
  const requests = callers.map((caller) => server.call(caller, 'ask'));
  await server.has(3);
  const answers = callers.map(() => server.ask());
  await quiet();
  server.clock.advance(TIE_MS);
  expect(await Promise.all(answers.slice(1))).toEqual([refused, refused]);
  await Promise.all([server.answer(1), server.answer(2)]);
  expect(await answers[0]).toEqual(accepted('Ada'));
  await server.answer(0);
  await Promise.all(requests);
  await server.close();
});

test('observes the time limit of a question that ends while older ones are pending', async () => {
  const server = await start();
  const callers = ['Ada', 'Alan'].map(accepting);
  const requests = callers.map((caller) => server.call(caller, 'ask'));
  await server.has(2);
  const oldest = server.ask();
  await quiet();
  server.clock.advance(1);
  const newest = server.ask();
  await quiet();
  server.clock.eachReadingMs = 5;
  server.clock.advance(TIE_MS);
  expect(await newest).toEqual(refused);
  await server.answer(1);
  expect(await oldest).toEqual(accepted('Ada'));
  await server.answer(0);
  await Promise.all(requests);
  await server.close();
});

test('a question that may belong to an aborted request reaches no other client', async () => {
  const server = await start();
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const given = server.call(ada, 'a').catch((error: Error) => error.message);
  const request = server.call(alan, 'b');
  await server.has(2);
  ada.cancel();
  expect(await given).toBe('The test cancels');
  const answer = server.ask();
  await quiet();
  server.clock.advance(TIE_MS);
  expect(await answer).toEqual(refused);
  expect(alan.asked).toEqual([]);
  // After its answer, the request has no more questions.
  const second = server.ask();
  await quiet();
  await server.answer(0);
  expect(await second).toEqual(accepted('Alan'));
  await server.answer(1);
  await request;
  await server.close();
});

test('time alone does not assign a question that has arrived', async () => {
  const server = await start();
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const given = server.call(ada, 'a').catch(() => undefined);
  const request = server.call(alan, 'b');
  await server.has(2);
  ada.cancel();
  await given;
  server.clock.advance(ABANDONED_MS - 1);
  const before = server.ask();
  await quiet();
  server.clock.advance(1);
  const after = server.ask();
  await quiet();
  expect(alan.asked).toEqual([]);
  server.clock.advance(TIE_MS);
  expect(await Promise.all([before, after])).toEqual([refused, refused]);
  expect(await server.ask()).toEqual(accepted('Alan'));
  await server.answer(1);
  await request;
  await server.close();
});

test('refuses a question of an aborted request, even while it is pending', async () => {
  const server = await start();
  let aborted = false;
  const ada = new TestCaller(() => new Promise<never>(() => undefined));
  const asked = ada.ask.bind(ada);
  ada.ask = (question, _name?: string, signal?: AbortSignal) => {
    signal!.addEventListener('abort', () => {
      aborted = true;
    });
    return asked(question);
  };
  const given = server.call(ada, 'a').catch((error: Error) => error.message);
  await server.has(1);
  const open = server.ask();
  await ada.until(() => ada.asked.length === 1);
  ada.cancel();
  expect(await open).toEqual(refused);
  expect(aborted).toBe(true);
  expect(await server.ask()).toEqual(refused);
  expect(await given).toBe('The test cancels');
  await server.close();
});

test('a call that is aborted during its question ends by an error for the question, and is cancelled only if it does not', async () => {
  for (const ends of [true, false]) {
    const server = await start(['ask']);
    const [ada, alan] = [new TestCaller(() => new Promise<never>(() => undefined)), accepting('Alan')];
    const given = server.call(ada, 'ask').catch((error: Error) => error.message);
    await server.has(1);
    const next = server.call(alan, 'ask');
    const open = server.ask();
    await ada.until(() => ada.asked.length === 1);
    ada.cancel();
    expect(await open).toEqual(refused);
    expect(await given).toBe('The test cancels');
    if (ends) await server.answer(0);
    await quiet();
    server.clock.advance(1_000);
    await quiet();
    const cancelled = server.received.filter(
      (message) => 'method' in message && message.method === 'notifications/cancelled',
    );
    expect(cancelled).toHaveLength(ends ? 0 : 1);
    if (!ends) server.clock.advance(ABANDONED_MS);
    await server.has(2);
    expect(await server.ask()).toEqual(accepted('Alan'));
    await server.answer(1);
    await next;
    await server.close();
  }
});

test('a tool that sends questions waits until aborted requests of its principal are answered or forgotten', async () => {
  for (const end of ['answered', 'forgotten']) {
    const server = await start(['ask']);
    const [ada, alan] = [accepting('Ada'), accepting('Alan')];
    const given = server.call(ada, 'a').catch((error: Error) => error.message);
    await server.has(1);
    ada.cancel();
    await given;
    const request = server.call(alan, 'ask');
    await quiet();
    expect(names(server)).toEqual(['a']);
    if (end === 'answered') await server.answer(0);
    else server.clock.advance(ABANDONED_MS);
    await server.has(2);
    expect(await server.ask()).toEqual(accepted('Alan'));
    await server.answer(1);
    await request;
    await server.close();
  }
});

test('forgetting a request while others wait for another reason sets no repeated timers', async () => {
  const server = await start(['ask']);
  const [ada, alan] = [accepting('Ada'), accepting('Alan')];
  const same = Object.assign(new TestCaller(), { client: ada.client });
  const limit = { timeoutMs: 600_000 };
  const asking = server.call(ada, 'ask', limit);
  const given = server.call(same, 'plain', limit).catch(() => undefined);
  await server.has(2);
  same.cancel();
  await given;
  const waiting = server.call(alan, 'plain', limit);
  server.clock.advance(2 * ABANDONED_MS);
  await server.answer(0);
  await server.has(3);
  await Promise.all([server.answer(2), asking, waiting]);
  await server.close();
});

test('a server that continues after a cancellation gets a longer period for questions', async () => {
  const server = await start(['ask']);
  const [ada, alan] = [new TestCaller(), accepting('Alan')];
  const cancelled = new TestCaller();
  const given = [ada, cancelled].map((caller) => server.call(caller, 'a').catch(() => undefined));
  await server.has(2);
  ada.cancel();
  server.clock.advance(1_500);
  await server.answer(0);
  await quiet();
  cancelled.cancel();
  await Promise.all(given);
  server.clock.advance(ABANDONED_MS);
  const request = server.call(alan, 'ask');
  await quiet();
  expect(names(server)).toEqual(['a', 'a']);
  await server.answer(1);
  await server.has(3);
  await server.answer(2);
  await request;
  await server.close();
});

test('tools that are declared to ask run for one client of a principal at a time, in order', async () => {
  const server = await start(['ask', 'other']);
  const [ada, alan, grace] = [accepting('Ada'), accepting('Alan'), accepting('Grace')];
  const results = [server.call(ada, 'ask'), server.call(alan, 'other'), server.call(grace, 'ask')];
  results.push(server.call(ada, 'other'), server.call(alan, 'other'));
  await quiet();
  expect(names(server)).toEqual(['ask']);
  expect(await server.ask()).toEqual(accepted('Ada'));
  await server.answer(0);
  await server.has(2);
  await quiet();
  expect(names(server)).toEqual(['ask', 'other']);
  await server.answer(1);
  await server.has(3);
  expect(await server.ask()).toEqual(accepted('Grace'));
  await server.answer(2);
  await server.has(4);
  await server.answer(3);
  await server.has(5);
  await Promise.all([server.answer(4), ...results]);
  await server.close();
});

test('no request waits for a question of another principal, and only tools that ask wait for questions', async () => {
  const server = await start(['ask']);
  const never = () => new Promise<never>(() => undefined);
  const ada = callerOf('ada', never);
  const open = server.call(ada, 'ask');
  await server.has(1);
  void server.ask();
  await ada.until(() => ada.asked.length === 1);
  const plain = [callerOf('ada'), callerOf('bob'), callerOf('eve')].map((caller) => server.call(caller, 'plain'));
  const asking = server.call(callerOf('bob'), 'ask');
  await server.has(5);
  expect(names(server)).toEqual(['ask', 'plain', 'plain', 'plain', 'ask']);
  await Promise.all([1, 2, 3].map((at) => server.answer(at)));
  await Promise.all(plain);
  // Both calls may have sent the question.
  const unclear = server.ask();
  await quiet();
  server.clock.advance(HELD_MS);
  expect(await unclear).toEqual(refused);
  await Promise.all([server.answer(4), asking]);
  ada.cancel();
  await open.catch(() => undefined);
  await server.close();
});

test('suspicion is limited to the calls of one principal, and an aborted call proves nothing', async () => {
  const server = await start();
  const [ada, same] = [callerOf('ada'), callerOf('ada')];
  const requests = [server.call(ada, 'a'), server.call(same, 'b')];
  await server.has(2);
  const unclear = server.ask();
  await quiet();
  server.clock.advance(HELD_MS);
  expect(await unclear).toEqual(refused);
  expect(['ada', 'bob'].map((principal) => server.asking.has('a', principal))).toEqual([true, false]);
  await Promise.all([server.answer(0), server.answer(1), ...requests]);
  const eve = callerOf('eve', async () => accepted('Eve') as InputResponse);
  const later = Object.assign(
    callerOf('eve', async () => accepted('Eve') as InputResponse),
    { client: eve.client },
  );
  const given = server.call(eve, 'ask').catch(() => undefined);
  await server.has(3);
  eve.cancel();
  await given;
  const accused = server.call(later, 'plain');
  await server.has(4);
  expect(await server.ask()).toEqual(accepted('Eve'));
  expect(server.asking.has('plain', 'bob')).toBe(false);
  await Promise.all([server.answer(3), accused]);
  await server.close();
});

test('waiting requests end with their signal, their timeout and the connection', async () => {
  const server = await start(true);
  const [ada, alan, grace] = [new TestCaller(), new TestCaller(), new TestCaller()];
  const first = server.call(ada, 'a').catch((error) => error.code);
  await server.has(1);
  const cancelled = server.call(alan, 'b').catch((error) => error.message);
  const late = server.call(grace, 'c', { timeoutMs: 500 }).catch((error) => error);
  const lost = server.call(new TestCaller(), 'd').catch((error) => error.code);
  alan.cancel();
  expect(await cancelled).toBe('The test cancels');
  server.clock.advance(500);
  expect(await late).toMatchObject({ code: 'SERVER_BUSY', hint: expect.stringContaining('"share": "client"') });
  await server.close();
  expect(await first).toBe('CONNECTION_CLOSED');
  expect(await lost).toBe('NOT_SENT');
  expect(names(server)).toEqual(['a']);
});

test('the wait counts towards the timeout of a request', async () => {
  const server = await start(true);
  const [ada, alan] = [new TestCaller(), new TestCaller()];
  const first = server.call(ada, 'a');
  await server.has(1);
  const second = server.call(alan, 'b', { timeoutMs: 500 }).catch((error) => error.message);
  server.clock.advance(400);
  await server.answer(0);
  await first;
  await server.has(2);
  server.clock.advance(100);
  expect(await second).toBe('tools/call was not answered within 100 ms');
  await server.close();
});

test('at most a thousand requests wait', async () => {
  const server = await start(true);
  const first = server.call(new TestCaller(), 'a');
  await server.has(1);
  const outcomes = Array.from({ length: 1001 }, () => server.call(new TestCaller(), 'b').catch((error) => error.code));
  expect(await outcomes[1000]).toBe('SERVER_BUSY');
  await Promise.all([server.answer(0), first]);
  await server.close();
  expect(await outcomes[999]).toBe('NOT_SENT');
});

test('an unanswered question may stay pending while no other client waits, and then for a limited time', async () => {
  const server = await start(['ask']);
  const [ada, alan] = [new TestCaller(() => new Promise<never>(() => undefined)), accepting('Alan')];
  const limit = { timeoutMs: 600_000 };
  const first = server.call(ada, 'ask', limit);
  await server.has(1);
  const answer = server.ask();
  await ada.until(() => ada.asked.length === 1);
  server.clock.advance(300_000);
  const second = server.call(alan, 'ask', limit);
  server.clock.advance(ANSWER_MS - 1);
  await quiet();
  expect(names(server)).toEqual(['ask']);
  server.clock.advance(1);
  expect(await answer).toEqual(refused);
  await server.answer(0);
  await server.has(2);
  await Promise.all([server.answer(1), first, second]);
  await server.close();
});

test('a client may make another call before it answers a question', async () => {
  const server = await start(['ask']);
  const nested: Promise<unknown>[] = [];
  const ada: TestCaller = new TestCaller(async () => {
    nested.push(server.call(ada, 'ask'));
    await nested[0];
    return accepted('Ada') as InputResponse;
  });
  const first = server.call(ada, 'ask');
  const second = server.call(accepting('Alan'), 'ask');
  await server.has(1);
  const answer = server.ask();
  await server.has(2);
  expect(names(server)).toEqual(['ask', 'ask']);
  await server.answer(1);
  expect(await answer).toEqual(accepted('Ada'));
  await server.answer(0);
  await server.has(3);
  await server.answer(2);
  await Promise.all([first, second, ...nested]);
  await server.close();
});

test('roots that a server requests when its session opens are not those of the first calling client', async () => {
  const server = await start();
  const ada = new TestCaller(async () => ({ roots: [{ uri: 'file:///ada' }] }));
  const first = server.call(ada, 'a');
  await server.has(1);
  expect(await server.ask({}, 'roots/list')).toMatchObject({ code: -32601 });
  await server.answer(0);
  await first;
  const second = server.call(ada, 'a');
  await server.has(2);
  expect(await server.ask({}, 'roots/list')).toEqual({ roots: [{ uri: 'file:///ada' }] });
  await server.answer(1);
  await second;
  await server.close();
});

test('roots that a server requests after a request was aborted are those of the connection', async () => {
  const server = await start();
  const ada = accepting('Ada');
  const other = server.call(ada, 'b');
  const given = server.call(ada, 'a').catch((error: Error) => error.message);
  await server.has(2);
  await server.answer(0);
  await other;
  ada.cancel();
  expect(await given).toBe('The test cancels');
  // The handlers of this connection have no roots.
  expect(await server.ask({}, 'roots/list')).toMatchObject({ code: -32601 });
  expect(await server.ask()).toEqual(refused);
  expect(ada.asked).toEqual([]);
  await server.close();
});

test('a question for an undeclared capability gets the error of a client without the capability', async () => {
  const server = await start();
  const ada = accepting('Ada');
  const call = server.call(ada, 'a');
  const list = server.client.listTools(); // a request of the host itself, which belongs to no client
  await server.has(2);
  expect(await server.ask({ mode: 'url', url: 'https://example.org', message: 'Go' })).toMatchObject({ code: -32602 });
  expect(await server.ask()).toEqual(accepted('Ada'));
  await Promise.all([server.answer(0), server.answer(1, { tools: [] }), call, list]);
  await server.close();
});

test('a question that may belong to a request of any method reaches no client with another request', async () => {
  const methods = ['completion/complete', 'tools/list', 'resources/templates/list', 'prompts/list', 'ping'];
  for (const method of methods) {
    const server = await start();
    const [ada, alan] = [accepting('Ada'), accepting('Alan')];
    const requests = [server.service.request(method, {}, ada), server.call(alan, 'a')];
    await server.has(2);
    const [first, second] = [server.ask(), server.ask()];
    await quiet();
    server.clock.advance(TIE_MS);
    expect(await second).toEqual(refused);
    expect([ada.asked, alan.asked]).toEqual([[], []]);
    await server.answer(1);
    expect(await first).toEqual(accepted('Ada'));
    await Promise.all([server.answer(0), ...requests]);
    // Only requests with a name are recorded as requests that may ask, so the other method is not listed.
    expect(server.asking.names).toEqual(['a']);
    await server.close();
  }
});

test('refuses a question during a request without a caller, or whose caller cannot answer during it', async () => {
  const server = await start();
  const ada = accepting('Ada');
  const call = server.call(ada, 'a');
  const watch = server.service.watch(new TestWatcher({ resourceSubscriptions: ['x://secret'] }));
  await server.has(2);
  const question = server.ask();
  await quiet();
  expect(ada.asked).toEqual([]);
  await Promise.all([server.answer(0), call]);
  expect(await question).toEqual(refused);
  await server.answer(1, {});
  const stop = await watch;
  const modern = Object.assign(accepting('Alan'), { asksInResult: true });
  const completion = server.service.request('completion/complete', {}, modern);
  await server.has(3);
  expect(await server.ask()).toEqual(refused);
  await Promise.all([server.answer(2), completion]);
  expect([ada.asked, modern.asked]).toEqual([[], []]);
  const stopped = stop();
  await server.has(4);
  await Promise.all([server.answer(3, {}), stopped]);
  await server.close();
});

test('limits unanswered questions of a client, and still detects questions of others', async () => {
  const server = await start();
  const eve = new TestCaller(() => new Promise<never>(() => undefined));
  const [ada, bob] = [accepting('Ada'), accepting('Bob')];
  const open = server.call(eve, 'a').catch(() => undefined);
  await server.has(1);
  const answers = Array.from({ length: 300 }, () => server.ask());
  expect(await Promise.all(answers.slice(16))).toEqual(Array(284).fill(refused));
  expect(eve.asked).toHaveLength(16);
  const given = server.call(ada, 'b').catch(() => undefined);
  await server.has(2);
  const question = server.ask();
  await quiet();
  ada.cancel();
  await given;
  server.clock.advance(ABANDONED_MS);
  const later = server.call(bob, 'c');
  await server.has(3);
  eve.cancel();
  await open;
  expect(await Promise.all([question, ...answers.slice(0, 16)])).toEqual(Array(17).fill(refused));
  expect([ada.asked, bob.asked]).toEqual([[], []]);
  await Promise.all([server.answer(2), later]);
  await server.close();
});

test('an answered request takes a constant number of steps, however many requests and questions are pending', async () => {
  const pending = new Map<number, PendingCall>();
  let visits = 0;
  const peer = {
    nextId: 1,
    notify: async () => undefined,
    requestWatcher: undefined,
    get requests() {
      return (function* () {
        for (const each of pending.values()) {
          visits++;
          yield each;
        }
      })();
    },
  };
  const clock = new ManualClock();
  const warn = () => undefined;
  const gate = new QuestionGate(peer, { tools: new AskingTools(), requestTimeoutMs: 60_000, clock, warn });
  const send = () => {
    const options = new GatedRequest(new TestCaller(), undefined, 'tools/call', { name: 'a' });
    const call = { id: peer.nextId++, method: 'tools/call', options } as unknown as PendingCall;
    pending.set(call.id, call);
    return call;
  };
  const end = (call: PendingCall, isGivenUp: boolean) => {
    if (isGivenUp) gate.gaveUp(call);
    pending.delete(call.id);
    gate.settled(call);
  };
  for (let count = 0; count < 1_000; count++) end(send(), true);
  for (let count = 0; count < 1_000; count++) send();
  const never = Array.from({ length: 200 }, () => new AbortController());
  for (const { signal } of never) gate.answer('elicitation/create', signal, async () => ({})).catch(() => undefined);
  clock.advance(TIE_MS);
  const last = Array.from({ length: 100 }, send);
  visits = 0;
  for (const call of last) end(call, false);
  expect(visits / last.length).toBeLessThan(250);
  for (const question of never) question.abort();
});
