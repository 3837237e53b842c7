// Our client, for the checks of the matrix.

import { connect } from '../../src/entry/client.ts';
import type { Revision } from '../../src/mcp/revisions.ts';
import type { LogMessage, Root } from '../../src/mcp/types.ts';
import { type AnyClient, answers } from './any-client.ts';
import type { WireRecord } from './wire-record.ts';

export interface ServerCommand {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

export interface ServerAddress {
  url: string;
  transport: 'http' | 'sse';
}

export type ServerTarget = ServerCommand | ServerAddress;

/** Detects the revision if none is given. */
export async function connectOurs(target: ServerTarget, revision?: Revision, roots?: Root[]): Promise<AnyClient> {
  const wire: WireRecord[] = [];
  const record = (from: WireRecord['from'], text: string) => {
    wire.push({ connection: 0, from, message: JSON.parse(text) });
  };
  const observer = {
    sent: (text: string) => record('client', text),
    received: (bytes: Uint8Array) => record('server', Buffer.from(bytes).toString()),
  };
  const logs: LogMessage[] = [];
  const asked: string[] = [];
  const options = {
    ...answers(roots ?? [{ uri: 'file:///interop', name: 'interop' }], asked),
    elicitModes: ['form', 'url'],
    info: { name: 'interop-client', version: '1.0.0' },
    requestTimeoutMs: 100_000,
    probeTimeoutMs: 100_000, // servers start slowly on a busy machine, and none of these is silent
    ...(revision && { revision }),
  } as const;
  const client =
    'url' in target
      ? await connect({ ...target, observer }, options)
      : await connect({ ...target, stderr: 'ignore', observer }, options);
  client.onLog((message) => logs.push(message));
  const { server } = client;
  return {
    revision: server.revision,
    name: server.info.name,
    instructions: server.instructions,
    capabilities: server.capabilities,
    logs,
    asked,
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: async () => (await client.listPrompts()).prompts,
    callTool: (name, args, { onProgress, signal } = {}) =>
      client.callTool(name, args, {
        ...(signal && { signal }),
        ...(onProgress && { onProgress: ({ progress }) => onProgress(progress) }),
      }),
    readResource: (uri) => client.readResource(uri),
    getPrompt: (name, args) => client.getPrompt(name, args),
    complete: (ref, argument, context) => client.complete(ref, argument, context),
    ping: async () => {
      await client.ping();
      return true;
    },
    setLogLevel: (level) => client.setLogLevel(level),
    subscribe: (uri, onUpdate) => client.subscribe(uri, (update) => onUpdate(update.uri)),
    onListChanged: async (kinds, handler) => {
      for (const kind of kinds) client.onListChanged(kind, () => handler(kind));
    },
    notifyRootsChanged: () => client.notifyRootsChanged(),
    close: () => client.close(),
    wire: () => wire,
  };
}
