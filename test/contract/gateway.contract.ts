// Behaviour of every gateway, for each transport of messages. Behind it, a process has the handlers of test/fixtures/service-contract. A
// skip has a reason, which the report shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayClient, Message } from './gateway-clients.ts';

export interface OpenedGateway {
  connect(): Promise<GatewayClient>;
  /** Calls a tool of the server without the gateway. */
  inspect(tool: string, args: Record<string, unknown>): Promise<string>;
  /** Closes the gateway, but not the server. */
  close(): Promise<void>;
  /** Closes the gateway and the server. */
  dispose(): Promise<void>;
}

export interface GatewayContractInputs {
  skip?: Record<string, string>;
  /** Whether the requests of a client that disconnects are cancelled. */
  vanishing: 'cancels' | 'keeps';
}

const LARGE = 1024 * 1024;

export function gatewayContract(name: string, open: () => Promise<OpenedGateway>, inputs: GatewayContractInputs): void {
  const skip = new Map(Object.entries(inputs.skip ?? {}));
  const rule = (sentence: string, check: () => Promise<void>) => {
    const reason = skip.get(sentence);
    skip.delete(sentence);
    if (reason === undefined) it(sentence, check);
    else it.skip(`${sentence} (${reason})`, check);
  };

  describe(name, () => {
    let gateway: OpenedGateway;
    beforeAll(async () => {
      gateway = await open();
    });
    afterAll(() => gateway?.dispose());

    const textOf = ({ result }: Message) => (result?.content as { text: string }[] | undefined)?.[0]?.text;
    const cancelledUp = async () => Number(await gateway.inspect('cancelled', { atLeast: 0 }));

    rule('answers have the id of their request, and 1 and "1" differ', async () => {
      const client = await gateway.connect();
      const answers = await Promise.all([
        client.call(1, 'echo', { text: 'number' }),
        client.call('1', 'echo', { text: 'text' }),
      ]);
      expect(answers.map(textOf)).toEqual(['number', 'text']);
      expect(answers.map(({ id }) => id)).toEqual([1, '1']);
    });

    rule('equal ids and progress tokens of several clients are distinguished', async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, () => gateway.connect()));
      await Promise.all(
        clients.map(async (client, at) => {
          const ids = [0, 1, 2, 3];
          const answers = await Promise.all(
            ids.map((id) => client.call(id, 'slow-echo', { text: `${at}-${id}` }, { progressToken: id })),
          );
          expect(answers.map(textOf)).toEqual(ids.map((id) => `${at}-${id}`));
          for (const { method, params } of client.received) {
            if (method === 'notifications/progress') expect(params!.message).toBe(`${at}-${params!.progressToken}`);
          }
        }),
      );
    });

    rule('progress reaches its caller in order, and before the answer', async () => {
      const client = await gateway.connect();
      await Promise.all(
        [1, 2, 3].map((id) => client.call(id, 'slow-echo', { text: 'x' }, { progressToken: `token-${id}` })),
      );
      for (const id of [1, 2, 3]) {
        const own = client.received.filter((each) => each.id === id || each.params?.progressToken === `token-${id}`);
        expect(own.map(({ params }) => params?.progress ?? 'answer')).toEqual([1, 2, 'answer']);
      }
    });

    rule('progress and log messages do not reach other clients', async () => {
      const [one, other] = [await gateway.connect(), await gateway.connect()];
      await Promise.all([
        one.call(1, 'slow-echo', { text: 'mine' }, { progressToken: 1 }),
        other.call(1, 'echo', { text: 'other' }),
      ]);
      // A log message does not name its request, so the test runs one request at a time.
      await one.call(2, 'log', { level: 'warning', data: 'mine' });
      await one.until(({ method }) => method === 'notifications/message');
      await other.call(2, 'echo', { text: 'later' });
      expect(other.received.filter(({ method }) => method !== undefined)).toEqual([]);
    });

    rule('a cancellation reaches the server, and affects only its own request', async () => {
      const client = await gateway.connect();
      const before = await cancelledUp();
      void client.call(1, 'wait', {}, { progressToken: 1 });
      void client.call(2, 'wait', {}, { progressToken: 2 });
      for (const token of [1, 2]) await client.until(({ params }) => params?.progressToken === token);
      client.cancel(1);
      expect(await gateway.inspect('cancelled', { atLeast: before + 1 })).toBe(String(before + 1));
      expect(textOf(await client.call(3, 'echo', { text: 'still here' }))).toBe('still here');
      client.cancel(2);
      expect(await gateway.inspect('cancelled', { atLeast: before + 2 })).toBe(String(before + 2));
    });

    rule(`a client that disconnects ${inputs.vanishing} its requests, and does not affect others`, async () => {
      const [one, other] = [await gateway.connect(), await gateway.connect()];
      const before = await cancelledUp();
      void one.call(1, 'wait', {}, { progressToken: 1 });
      await one.until(({ method }) => method === 'notifications/progress');
      one.vanish();
      if (inputs.vanishing === 'cancels') await gateway.inspect('cancelled', { atLeast: before + 1 });
      expect(textOf(await other.call(1, 'echo', { text: 'still here' }))).toBe('still here');
      if (inputs.vanishing === 'keeps') expect(await cancelledUp()).toBe(before);
    });

    rule('long messages pass both ways', async () => {
      const client = await gateway.connect();
      const text = `${'x'.repeat(LARGE)}é`;
      const answers = await Promise.all([1, 2].map((id) => client.call(id, 'echo', { text })));
      for (const answer of answers) expect(textOf(answer) === text).toBe(true);
    });

    rule('a malformed message is answered with an error, and does not affect other requests', async () => {
      const client = await gateway.connect();
      const waiting = client.call(1, 'slow-echo', { text: 'meanwhile' });
      expect(await client.sendMalformed('{"jsonrpc":"2.0","id":9,')).toBe(-32700);
      expect(await client.sendMalformed('{"jsonrpc":"2.0","id":9}')).toBe(-32600);
      expect(textOf(await waiting)).toBe('meanwhile');
      expect(textOf(await client.call(2, 'echo', { text: 'later' }))).toBe('later');
    });

    rule('`_meta` and unknown members pass unchanged', async () => {
      const client = await gateway.connect();
      const result = { content: [], 'com.example/unknown': [1, null], _meta: { 'com.example/back': { a: 1 } } };
      const answer = await client.call(1, 'opaque', { result }, { 'com.example/trace': { deep: [1] } });
      expect(answer.result).toMatchObject({ ...result, _meta: { ...result._meta, seen: { deep: [1] } } });
    });

    rule('errors pass with their code, message and data', async () => {
      const client = await gateway.connect();
      const error = { code: -32050, message: 'not today', data: { at: [1] } };
      const answer = await client.call(1, 'refuse', error);
      expect(answer.error).toMatchObject({ code: error.code, message: expect.stringContaining(error.message) });
      expect(answer.error!.data).toMatchObject(error.data);
      const unknown = await client.request(2, 'no/such', {});
      expect(unknown.error?.code).toBe(-32601);
    });

    rule('closing the gateway disconnects its clients and cancels their requests', async () => {
      const clients = [await gateway.connect(), await gateway.connect()];
      const before = await cancelledUp();
      for (const client of clients) {
        void client.call(1, 'wait', {}, { progressToken: 1 });
        await client.until(({ method }) => method === 'notifications/progress');
      }
      await gateway.close();
      await Promise.all(clients.map(({ ended }) => ended));
      await gateway.inspect('cancelled', { atLeast: before + 2 });
    });

    it('skips only rules of this contract', () => expect([...skip.keys()]).toEqual([]));
  });
}
