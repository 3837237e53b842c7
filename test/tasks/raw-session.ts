// A client that sends raw messages in both eras, and keeps all received ones.

import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import type { Channel } from '../../src/wire/jsonrpc/channel.ts';
import { memoryPair } from '../../src/wire/transport/stream-transport.ts';

export interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export async function rawSession(server: { connect(channel: Channel): Promise<unknown> }) {
  const [here, there] = memoryPair();
  await server.connect(there);
  return rawSessionOver(here);
}

/** `here`: a transport of ours or of the official SDK, which is not started yet. */
export async function rawSessionOver(here: Pick<Channel, 'start' | 'send' | 'close' | 'onmessage'>) {
  const got: Message[] = [];
  const listeners = new Set<(message: Message) => void>();
  const listen = (listener: (message: Message) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const answers = new Map<number, (message: Message) => void>();
  here.onmessage = (message: unknown) => {
    const given = message as Message;
    got.push(given);
    if (given.method === undefined) answers.get(given.id!)?.(given);
    else for (const listener of listeners) listener(given);
  };
  await here.start();
  let last = 0;
  const request = (method: string, params: object = {}) =>
    new Promise<Message>((resolve) => {
      const id = ++last;
      answers.set(id, resolve);
      void here.send({ jsonrpc: '2.0', id, method, params } as never);
    });
  const answer = (id: number, result: object) => here.send({ jsonrpc: '2.0', id, result } as never);
  const modern = (method: string, params: object = {}, capabilities: object = declared) =>
    request(method, {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    });
  const initialize = (protocolVersion = '2025-11-25') =>
    request('initialize', {
      protocolVersion,
      capabilities: { elicitation: {} },
      clientInfo: { name: 'raw', version: '1' },
    });
  const notify = (method: string) => here.send({ jsonrpc: '2.0', method } as never);
  const close = () => here.close();
  return { got, request, answer, modern, initialize, notify, close, listen };
}

export const declared = { elicitation: {}, extensions: { [TASKS]: {} } };
