import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { Caller, ClientFacts, Params, Result } from '../../mcp/service.ts';
import { FairTurns } from './fair-turns.ts';

/** A process that answers when the test calls `answer`. */
class Process {
  readonly clock = new ManualClock();
  readonly begun: { client: string; number: number; answer: (result: Result) => void; fail: (error: Error) => void }[] =
    [];
  readonly turns = new FairTurns(
    (_method: string, params: Params) =>
      new Promise<Result>((answer, fail) => {
        this.begun.push({ client: params.client as string, number: params.number as number, answer, fail });
      }),
    this.clock,
  );
  readonly sent: Promise<unknown>[] = [];

  send(client: string, number: number, more: { principal?: string; bytes?: number; signal?: AbortSignal } = {}): void {
    const { principal, bytes, signal } = more;
    const identity = { id: client, affinity: client, principal };
    const caller = { client: { identity }, requestBytes: bytes, signal } as unknown as Caller;
    const result = this.turns.request('tools/call', { client, number }, caller);
    this.sent.push(Promise.resolve(result).catch((error: unknown) => error));
  }

  /** Number of a client's requests at the process. */
  at(client: string): number {
    return this.begun.filter((each) => each.client === client).length;
  }

  /** Answers the oldest request of a client. */
  async answer(client: string): Promise<void> {
    const at = this.begun.findIndex((each) => each.client === client);
    this.begun.splice(at, 1)[0]!.answer({});
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const many = (count: number, act: (at: number) => void) => {
  for (let at = 0; at < count; at++) act(at);
};

describe('turns of the clients of a process', () => {
  it('never delay requests of a single client', () => {
    const process = new Process();
    many(1000, (at) => process.send('a', at));
    expect(process.at('a')).toBe(1000);
    expect(process.clock.pending).toBe(0);
  });

  it('let few requests of a flooding client pass before another client', async () => {
    const process = new Process();
    process.send('b', 0);
    await process.answer('b');
    many(1000, (at) => process.send('flood', at));
    expect(process.at('flood')).toBe(4);
    process.send('b', 1);
    expect(process.at('b')).toBe(1);
    await process.answer('flood');
    expect(process.at('flood')).toBe(4);
  });

  it('count large requests as several', async () => {
    const process = new Process();
    process.send('b', 0);
    many(10, (at) => process.send('flood', at, { bytes: 32 * 1024 }));
    expect(process.at('flood')).toBe(2);
  });

  it('a slow call delays neither its client nor others', async () => {
    const process = new Process();
    process.send('b', 0);
    many(10, (at) => process.send('slow', at));
    expect(process.at('slow')).toBe(4);
    process.clock.advance(100);
    expect(process.at('slow')).toBe(8);
    process.clock.advance(100);
    expect(process.at('slow')).toBe(10);
  });

  it('many clients of one principal have few requests ahead of another principal, and take turns', async () => {
    const process = new Process();
    process.send('b', 0, { principal: 'ada' });
    many(100, (at) => process.send(`flood-${at % 10}`, at, { principal: 'grace' }));
    expect(process.begun.filter(({ client }) => client !== 'b')).toHaveLength(16);
    const before = process.begun.length;
    for (const each of process.begun.slice(1, 11)) each.answer({});
    await settled();
    const next = process.begun.slice(before).map(({ client }) => client);
    expect(new Set(next).size).toBe(10);
  });

  it('start queued requests at once when the other clients are idle', () => {
    const process = new Process();
    process.send('b', 0);
    process.begun[0]!.fail(new Error('it failed'));
    many(1000, (at) => process.send('flood', at));
    return settled().then(() => {
      process.clock.advance(2000);
      expect(process.at('flood')).toBe(1000);
      expect(process.clock.pending).toBe(0);
    });
  });

  it('a queued request that is cancelled never reaches the process', async () => {
    const process = new Process();
    process.send('b', 0);
    many(4, (at) => process.send('flood', at));
    const abort = new AbortController();
    process.send('flood', 4, { signal: abort.signal });
    process.send('flood', 5);
    abort.abort(new Error('given up'));
    expect(await process.sent.at(-2)).toEqual(new Error('given up'));
    await process.answer('flood');
    expect(process.begun.at(-1)).toMatchObject({ number: 5 });
    expect(process.turns.waiting).toBe(0);
  });

  it('in any sequence, each request of a client starts once, in order, and all end', async () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant('send' as const), client: fc.nat(4), bytes: fc.constantFrom(10, 100_000) }),
      fc.record({ act: fc.constantFrom('answer' as const, 'fail' as const), at: fc.nat(30) }),
      fc.record({ act: fc.constant('wait' as const), ms: fc.constantFrom(50, 300, 3000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const process = new Process();
        let number = 0;
        const seen = new Map<string, number[]>();
        const note = () => {
          for (const each of process.begun) {
            const numbers = seen.get(each.client) ?? [];
            if (!numbers.includes(each.number)) numbers.push(each.number);
            seen.set(each.client, numbers);
          }
        };
        const end = (at: number, way: 'answer' | 'fail') => {
          const [each] = process.begun.splice(at % (process.begun.length || 1), 1);
          if (way === 'answer') each?.answer({});
          else each?.fail(new Error('failed'));
        };
        for (const each of steps) {
          if (each.act === 'send') {
            const principal = `p${each.client % 2}`;
            process.send(`c${each.client}`, number++, { principal, bytes: each.bytes });
          } else if (each.act === 'wait') process.clock.advance(each.ms);
          else {
            note();
            end(each.at, each.act);
            await settled();
          }
        }
        note();
        while (process.begun.length > 0) {
          end(0, 'answer');
          await settled();
          note();
        }
        expect(process.turns.waiting).toBe(0);
        await Promise.all(process.sent);
        const all = [...seen.values()].flat();
        expect(all.length).toBe(number);
        for (const numbers of seen.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }),
    );
  });
});

it('requests of the host for a client, such as subscriptions, have the turns of the client', async () => {
  const process = new Process();
  const facts = (id: string) => ({ identity: { id, affinity: id } }) as unknown as ClientFacts;
  process.send('b', 0);
  await process.answer('b');
  let begun = 0;
  const answers: (() => void)[] = [];
  const subscribed = Array.from({ length: 100 }, () =>
    process.turns.turn(facts('flood'), () => {
      begun++;
      return new Promise<void>((resolve) => answers.push(resolve));
    }),
  );
  expect(begun).toBe(4);
  process.send('flood', 1);
  process.send('b', 1);
  expect([process.at('flood'), process.at('b')]).toEqual([0, 1]);
  answers.shift()!();
  await settled();
  expect(begun).toBe(5);
  while (answers.length > 0) {
    answers.shift()!();
    await settled();
  }
  await Promise.all(subscribed);
  expect([begun, process.at('flood')]).toEqual([100, 1]);
});
