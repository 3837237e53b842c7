// Behaviour of every transport. The other end echoes each message unchanged.

import { describe, expect, test } from 'vitest';
import type { JsonRpcMessage } from '../../src/wire/jsonrpc/message.ts';
import type { Transport } from '../../src/wire/jsonrpc/message-transport.ts';
import { closing } from '../fixtures/server.ts';

export interface TransportUnderTest {
  near: Transport;
  /** Closes the other end. */
  endFar: () => Promise<void>;
}

const note = (n: number, params: object = {}): JsonRpcMessage => ({
  jsonrpc: '2.0',
  method: 'note',
  params: { n, ...params },
});

export function transportContract(name: string, make: () => Promise<TransportUnderTest>): void {
  describe(`transport contract: ${name}`, () => {
    async function open() {
      const { near, endFar } = await make();
      closing(near);
      const received: JsonRpcMessage[] = [];
      const waiting = new Set<() => void>();
      const errors: Error[] = [];
      let closes = 0;
      near.onmessage = (message) => {
        received.push(message);
        for (const look of waiting) look();
      };
      near.onerror = (error) => errors.push(error);
      near.onclose = () => {
        closes++;
        for (const look of waiting) look();
      };
      const when = (holds: () => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (!holds()) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        });
      return { near, endFar, received, errors, when, closes: () => closes };
    }

    test('messages that are sent in one tick all arrive, in order', async () => {
      const { near, received, when } = await open();
      await near.start();
      const sent = Array.from({ length: 1000 }, (_, n) => note(n));
      await Promise.all(sent.map((message) => near.send(message)));
      await when(() => received.length === sent.length);
      expect(received).toEqual(sent);
    });

    test('text of any kind and size arrives unchanged', async () => {
      const { near, received, when } = await open();
      await near.start();
      const texts = [
        'line\nbreaks\r\n\r\n\r\n',
        '日本語 עברית 🙂 é',
        '\u2028\u2029\u0000\ufeff',
        '"\\',
        '',
        'ü'.repeat(1_000_000),
      ];
      const sent = texts.map((text, n) => note(n, { text, nested: [[{ text }]], big: 1e308, nothing: null }));
      for (const message of sent) await near.send(message);
      await when(() => received.length === sent.length);
      expect(received).toEqual(sent);
    });

    test('10 MB that are sent at once arrive completely', async () => {
      const { near, received, when } = await open();
      await near.start();
      const text = 'x'.repeat(100_000);
      await Promise.all(Array.from({ length: 100 }, (_, n) => near.send(note(n, { text }))));
      await when(() => received.length === 100);
      expect(received.map((message) => 'params' in message && message.params?.n)).toEqual([...Array(100).keys()]);
    });

    test('sending before the start is refused', async () => {
      const { near } = await open();
      await expect(near.send(note(1))).rejects.toMatchObject({ code: 'NOT_STARTED' });
    });

    test('starting twice is refused', async () => {
      const { near } = await open();
      await near.start();
      await expect(near.start()).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
    });

    test('closing twice reports one close, and sending and starting are refused afterwards', async () => {
      const { near, closes } = await open();
      await near.start();
      await Promise.all([near.close(), near.close()]);
      await near.close();
      expect(closes()).toBe(1);
      await expect(near.send(note(1))).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
      await expect(near.start()).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    });

    test('a transport that was never started can be closed', async () => {
      const { near } = await open();
      await near.close();
      await expect(near.start()).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    });

    test('a message that is sent just before the close still arrives', async () => {
      const { near, received } = await open();
      await near.start();
      void near.send(note(7));
      await near.close();
      // The other end may answer before it closes.
      if (received.length > 0) expect(received).toEqual([note(7)]);
    });

    test('when the other end disconnects, the transport closes once and refuses to send', async () => {
      const { near, endFar, closes, when } = await open();
      await near.start();
      await near.send(note(1));
      await endFar();
      await when(() => closes() === 1);
      await expect(near.send(note(2))).rejects.toBeInstanceOf(Error);
      await near.close();
      expect(closes()).toBe(1);
    });

    test('a handler that throws is reported and the next message is delivered', async () => {
      const { near, errors, received, when } = await open();
      await near.start();
      const deliver = near.onmessage;
      near.onmessage = (message) => {
        deliver?.(message);
        if (received.length === 1) throw new Error('handler broke');
      };
      await near.send(note(1));
      await near.send(note(2));
      await when(() => received.length === 2);
      expect(errors).toMatchObject([{ message: 'handler broke' }]);
    });

    test('a message that is not JSON is refused, and the next one arrives', async () => {
      const { near, received, when } = await open();
      await near.start();
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      await expect(near.send(note(1, { big: 1n }))).rejects.toMatchObject({ code: 'MESSAGE_NOT_SERIALIZABLE' });
      await expect(near.send(note(1, circular))).rejects.toMatchObject({ code: 'MESSAGE_NOT_SERIALIZABLE' });
      await near.send(note(2));
      await when(() => received.length === 1);
      expect(received).toEqual([note(2)]);
    });
  });
}
