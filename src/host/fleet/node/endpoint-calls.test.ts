import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { JsonRpcRequest } from '../../../wire/jsonrpc/message.ts';
import { OwnResult } from '../../../wire/jsonrpc/message-text.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import type { Payload } from '../parts.ts';
import { subjectsOf } from '../subjects.ts';
import { EndpointCalls, type EndpointLimits } from './endpoint-calls.ts';
import { NodeCall, type NodeCallOwner } from './node-call.ts';

const subjects = subjectsOf('test');
const request: JsonRpcRequest = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: {} } };

function open(limits: Partial<EndpointLimits> = {}) {
  const sent: string[] = [];
  const payloads: Payload[] = [];
  const publish = (reply: string, payload: Payload) => {
    sent.push(reply);
    payloads.push(payload);
  };
  const network = { fleet: 'test', maxBytes: 1 << 20, publish };
  const clock = new ManualClock();
  const calls = new EndpointCalls(network as unknown as ClusterNetwork, limits, clock);
  const owner: NodeCallOwner = {
    where: { node: 'here', claim: 1 },
    sendTo: ({ reply }, text) => calls.send(reply, text),
    over: (call, answer) => calls.over(call, answer),
  };
  /** Returns undefined if the call is not run. */
  const arrive = (reply: string, bytes = 10): NodeCall | undefined => {
    const caller = calls.nodes.of(reply)!;
    const number = caller.numberOf(reply);
    if (calls.isKnown(caller, number, reply)) return undefined;
    const call = new NodeCall(owner, caller, { reply, number, bytes }, request, undefined);
    calls.begun(call);
    return call;
  };
  const answer = (call: NodeCall, text = '') => call.answer(new OwnResult(1, { text }));
  return { calls, clock, sent, payloads, arrive, answer };
}

it('a call is unknown only if it never arrived, and then never runs; other calls run once', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constantFrom('arrive', 'lose', 'hold back'), node: fc.nat(2) }) },
    { weight: 4, arbitrary: fc.record({ does: fc.constantFrom('answer', 'cancel'), which: fc.nat(50) }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constantFrom('ask', 'arrive late', 'arrive again'), which: fc.nat(50) }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('wait'), ms: fc.nat(200) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const { calls, clock, arrive, answer } = open({ maxKept: 10, keptMs: 100 });
      const numbers = [0, 0, 0];
      const running: NodeCall[] = [];
      const all: string[] = [];
      const late = new Set<string>();
      const [arrived, ended, disowned] = [new Set<string>(), new Set<string>(), new Set<string>()];
      for (const each of steps as { does: string; node?: number; which?: number; ms?: number }[]) {
        const { does, node = 0, which = 0, ms = 0 } = each;
        const some = all[all.length - 1 - (which % Math.max(1, all.length))];
        if (does === 'wait') clock.advance(ms);
        else if (does === 'arrive' || does === 'lose' || does === 'hold back') {
          const reply = subjects.reply(`node${node}`, 'run', ++numbers[node]!);
          all.push(reply);
          if (does === 'hold back') late.add(reply);
          if (does !== 'arrive') continue;
          const call = arrive(reply);
          expect(call).toBeDefined();
          running.push(call!);
          arrived.add(reply);
        } else if (does === 'answer' || does === 'cancel') {
          const [call] = running.splice(which % Math.max(1, running.length), 1);
          if (!call) continue;
          if (does === 'answer') answer(call);
          else call.cancel();
          ended.add(call.reply);
        } else if (some === undefined) continue;
        else if (does === 'ask') {
          const state = calls.inquire(some);
          if (state === 'unknown') disowned.add(some);
          expect(state === 'running').toBe(arrived.has(some) && !ended.has(some));
          if (arrived.has(some)) expect(state).not.toBe('unknown');
          else expect(['unknown', 'forgotten']).toContain(state);
        } else if (arrived.has(some) || does === 'arrive late') {
          if (!arrived.has(some) && !late.delete(some)) continue; // the request was lost
          const call = arrive(some);
          if (arrived.has(some) || disowned.has(some)) expect(call).toBeUndefined();
          if (!call) continue;
          running.push(call);
          arrived.add(some);
        }
        expect(calls.answered.size).toBeLessThanOrEqual(10);
      }
    }),
    { numRuns: 100 },
  );
});

it('encodes a long answer once, and repeats the same bytes', () => {
  const { calls, payloads, arrive, answer } = open();
  const reply = subjects.reply('there', 'run', 1);
  const long = `${'\u2028é😀'.repeat(2000)}\ud800`;
  answer(arrive(reply)!, long);
  expect(calls.inquire(reply)).toBe('answered');
  const [first, second] = payloads;
  expect(first).toBeInstanceOf(Uint8Array);
  expect(second).toBe(first);
  expect(JSON.parse(new TextDecoder().decode(first as Uint8Array)).result.text).toBe(long);
});

it('limits kept answers in number, size and time, and keeps the newest', () => {
  const { calls, clock, sent, arrive, answer } = open({ maxKept: 100, maxKeptChars: 10_000, keptMs: 1000 });
  const reply = (number: number) => subjects.reply('there', 'run', number);
  const states = (...of: number[]) => of.map((number) => calls.inquire(reply(number)));
  for (let number = 1; number <= 1000; number++) answer(arrive(reply(number))!);
  expect(calls.answered.size).toBeLessThanOrEqual(100);
  expect(states(1, 900, 951, 1000)).toEqual(['forgotten', 'forgotten', 'answered', 'answered']);
  answer(arrive(reply(1001))!, 'x'.repeat(6000)); // an answer of this length is not kept
  answer(arrive(reply(1002))!, 'x'.repeat(4500));
  expect(states(1000, 1001, 1002)).toEqual(['answered', 'forgotten', 'answered']);
  sent.length = 0;
  clock.advance(1000);
  expect(calls.answered.size).toBe(0);
  expect(clock.pending).toBe(0);
  expect(states(1000, 1002, 1003)).toEqual(['forgotten', 'forgotten', 'unknown']);
  expect(sent).toEqual([]);
});

it('an inquiry with a number far above those of the requests refuses no later request', () => {
  const { calls, clock, arrive } = open({ keptMs: 100 });
  const reply = (number: number) => subjects.reply('there', 'run', number);
  arrive(reply(1));
  expect(calls.inquire(reply(Number.MAX_SAFE_INTEGER))).toBe('forgotten');
  expect(calls.inquire(reply(1_000_002))).toBe('forgotten');
  clock.advance(200);
  expect(arrive(reply(2))).toBeDefined();
  expect(calls.inquire(reply(1_000_002))).toBe('unknown');
});

it('refuses a request whose number is not above those of forgotten calls, so that its node can repeat it with another secret', () => {
  const { calls, clock, payloads, arrive } = open({ keptMs: 100 });
  const reply = (number: number, secret = 'a') => subjects.reply('there', `run-${secret}`, number);
  expect(calls.inquire(reply(5))).toBe('unknown');
  clock.advance(100);
  expect(arrive(reply(4))).toBeUndefined();
  expect(payloads).toEqual([expect.stringMatching(/^refused old /)]);
  expect(arrive(reply(5, 'b'))).toBeDefined();
});

it('limits the bytes of requests in flight by node and in total, and accepts a single request of any size', () => {
  const { calls, arrive, answer } = open({ maxCallBytes: 150, maxCallBytesPerNode: 100 });
  const [one, other, third] = ['one', 'other', 'third'].map((name) => calls.nodes.of(subjects.reply(name, 'run', 1))!);
  expect(calls.whyBusy(one!, 1000)).toBeUndefined();
  const first = arrive(subjects.reply('one', 'run', 1), 60)!;
  expect(calls.whyBusy(one!, 40)).toBeUndefined();
  expect(calls.whyBusy(one!, 41)).toBe('calls of node one with 60 bytes are in flight here');
  arrive(subjects.reply('other', 'run', 1), 80);
  expect(calls.whyBusy(other!, 5)).toBeUndefined();
  expect(calls.whyBusy(third!, 11)).toBe('calls of other nodes with 140 bytes are in flight here');
  answer(first);
  expect(calls.whyBusy(third!, 70)).toBeUndefined();
});

it('above the limits, the oldest nodes and clients are dropped, and their calls are never reported as unknown', () => {
  const { calls, arrive } = open();
  const runs = arrive(subjects.reply('busy', 'run', 1))!;
  for (let n = 0; n < 10_000; n++) calls.nodes.of(subjects.reply('node', `run${n}`, 1));
  expect([...calls.nodes.values()]).toHaveLength(10_000);
  expect(calls.inquire(runs.reply)).toBe('running');
  expect(calls.inquire(subjects.reply('node', 'run9000', 1))).toBe('unknown');
  expect(calls.inquire(subjects.reply('node', 'run0', 1))).toBe('forgotten');
  const { caller } = runs;
  const identities = Array.from({ length: 10_001 }, (_, n) => caller.identityOf({ id: `${n}`, affinity: `${n}` }));
  expect(caller.takeClient('0')).toBeUndefined();
  expect(caller.takeClient('1')).toBe(identities[1]);
  expect(caller.takeClients()).toHaveLength(9_999);
});

it('the identity of a client contains its node and run, and its affinity contains its node', () => {
  const { calls } = open();
  const [one, again] = ['run1', 'run2'].map((run) => calls.nodes.of(subjects.reply('one', run, 1))!);
  const client = one!.identityOf({ id: '7', affinity: '7', principal: 'ada' });
  expect(client).toEqual({
    id: expect.stringMatching(/^one\/\w{16}\/7$/),
    principal: 'ada',
    affinity: client.id,
    isPaced: true,
  });
  expect(one!.identityOf({ id: '7', affinity: '7', principal: 'ada' })).toBe(client);
  expect(again!.identityOf({ id: '7', affinity: '7', principal: 'ada' }).id).not.toBe(client.id);
  const posts = [one!, again!].map((node) => node.identityOf({ id: '8', affinity: 'post:ada', principal: 'ada' }));
  expect(posts.map(({ affinity }) => affinity)).toEqual(['one/post:ada', 'one/post:ada']);
  expect(one!.identityOf({ id: '1', affinity: 'host' })).toMatchObject({ affinity: 'host' });
  expect(calls.nodes.ofRun('one', 'run1')).toEqual([one]);
  const secrets = ['run1-x', 'run1-y', 'run10-x'].map((run) => calls.nodes.of(subjects.reply('one', run, 1))!);
  expect(calls.nodes.ofRun('one', 'run1')).toEqual([one, secrets[0], secrets[1]]);
});
