// A model of a legacy server that many clients share, which knows the call of each of its questions. For any order of
// calls, questions, answers, cancellations and time: no question reaches another client, and every call ends.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { AskingTools } from '../../src/mcp/client/session/asking-tools.ts';
import { type Caller, newClient, type Params } from '../../src/mcp/service.ts';
import type { InputRequest, InputResponse } from '../../src/mcp/types.ts';
import { startHeldServer } from '../fixtures/mcp-client/held-server.ts';
import { usually } from '../fixtures/repetitions.ts';

/**
 * Time after a cancellation during which the model sends questions. The cancellation may arrive a second after the
 * abort.
 */
const ASKS_MS = 28_000;

/** A call in the server. */
interface ServerCall {
  id: number;
  client: number;
  questionsLeft: number;
  /** Number of unanswered questions. */
  open: number;
  cancelledMs: number | undefined;
}

interface Asked {
  answer: () => void;
}

class Model {
  readonly clock = new ManualClock();
  readonly asking = new AskingTools();
  readonly clients = Array.from({ length: 4 }, () => newClient());
  readonly inServer = new Map<number, ServerCall>();
  readonly atClients: Asked[] = [];
  readonly controllers: AbortController[] = [];
  readonly misrouted: string[] = [];
  routed = 0;
  /** Messages that arrive now were sent after this time. */
  #beforeMs = 0;
  /** Unsettled calls, and unanswered questions of the server. */
  unsettled = 0;
  unanswered = 0;
  server!: Awaited<ReturnType<typeof startHeldServer>>;

  async start(): Promise<this> {
    const capabilities = { elicitation: { form: {} } };
    const shared = { capabilities, asking: this.asking };
    this.server = await startHeldServer({ era: 'legacy', clock: this.clock, shared });
    return this;
  }

  call(client: number, tool: number, questions: number): void {
    const controller = new AbortController();
    this.controllers.push(controller);
    this.unsettled++;
    const caller = this.#caller(client, controller.signal);
    const settle = () => void this.unsettled--;
    const params = { name: `tool-${tool}`, arguments: { client, questions } };
    Promise.resolve(this.server.service.request('tools/call', params, caller)).then(settle, settle);
  }

  pass(ms: number): void {
    this.#beforeMs = this.clock.nowMs();
    this.clock.advance(ms);
  }

  /** Processes the messages that have arrived. */
  async arrive(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (const { id, params } of this.server.held.splice(0)) {
      const { client, questions } = params!.arguments as { client: number; questions: number };
      const call = { id: id as number, client, questionsLeft: questions, open: 0, cancelledMs: undefined };
      this.inServer.set(call.id, call);
    }
    for (const message of this.server.received.splice(0)) {
      if (!('method' in message) || message.method !== 'notifications/cancelled') continue;
      const call = this.inServer.get((message.params as { requestId: number }).requestId);
      if (call) call.cancelledMs = this.#beforeMs;
    }
  }

  /** The next question of a call, or its answer. A call is answered after its questions. */
  step(at: number): void {
    const calls = [...this.inServer.values()];
    const call = calls[at % (calls.length || 1)];
    if (!call) return;
    const forgotten = call.cancelledMs !== undefined && this.clock.nowMs() - call.cancelledMs >= ASKS_MS;
    if (call.questionsLeft > 0 && !forgotten) return this.#ask(call);
    if (call.open > 0) return;
    this.inServer.delete(call.id);
    void this.server.send({ id: call.id, result: { content: [] } });
  }

  #ask(call: ServerCall): void {
    call.questionsLeft--;
    call.open++;
    this.unanswered++;
    const requestedSchema = { type: 'object', properties: {} };
    void this.server.ask({ mode: 'form', message: String(call.client), requestedSchema }).then(() => {
      call.open--;
      this.unanswered--;
    });
  }

  #caller(client: number, signal: AbortSignal): Caller {
    const facts = {
      identity: this.clients[client]!,
      revision: '2025-11-25' as const,
      capabilities: { elicitation: { form: {} } },
      info: undefined,
      logLevel: undefined,
    };
    const ask = (question: InputRequest, _name?: string, ended?: AbortSignal): Promise<InputResponse> => {
      const owner = (question.params as unknown as Params).message;
      this.routed++;
      if (owner !== String(client)) this.misrouted.push(`a question of ${owner} at ${client}`);
      return new Promise((resolve, reject) => {
        // The protocol adapter of a client has the same time limit.
        this.clock.after(600_000, () => reject(new Error('The client does not answer')));
        ended!.addEventListener('abort', () => reject(ended!.reason));
        this.atClients.push({ answer: () => resolve({ action: 'accept', content: {} }) });
      });
    };
    return { client: facts, signal, wantsProgress: false, progress: () => undefined, log: () => undefined, ask };
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('call' as const), client: fc.nat(3), tool: fc.nat(5) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('step' as const), at: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('answer' as const), at: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('cancel' as const), at: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('time' as const), ms: fc.constantFrom(10, 1_500, 3_000, 29_999, 61_000) }),
  },
);

test('no question reaches another client, and every call ends', { timeout: 600_000 }, async () => {
  let routed = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), async (steps) => {
      const model = await new Model().start();
      for (const each of steps) {
        // Tools 0 to 2 send no questions; the others send one, two and three.
        if (each.act === 'call') model.call(each.client, each.tool, Math.max(0, each.tool - 2));
        else if (each.act === 'step') model.step(each.at);
        else if (each.act === 'answer') model.atClients.splice(each.at % (model.atClients.length || 1), 1)[0]?.answer();
        else if (each.act === 'cancel') model.controllers[each.at % (model.controllers.length || 1)]?.abort();
        else model.pass(each.ms);
        await model.arrive();
      }
      // The server continues; some clients never answer. The clock advances in each round.
      for (let round = 0; model.unsettled + model.unanswered > 0 && round < 300; round++) {
        for (let at = 0; at < 10; at++) {
          model.step(at);
          await model.arrive();
        }
        model.pass(5_000);
        await model.arrive();
      }
      expect(model.misrouted).toEqual([]);
      expect({ unsettled: model.unsettled, unanswered: model.unanswered }).toEqual({ unsettled: 0, unanswered: 0 });
      routed += model.routed;
      refused += model.asking.refused;
      await model.server.close();
    }),
    { numRuns: usually(150, 1_000), endOnFailure: true },
  );
  expect(routed).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(10);
});
