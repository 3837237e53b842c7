// The official client of the 1.x line, for the checks of the matrix. It offers only its newest revision; for other
// revisions, its initialize request is changed before it is sent, like that of older releases.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { LogMessage, ServerCapabilities } from '../../src/mcp/types.ts';
import { type AnyClient, answers } from './any-client.ts';
import type { ServerTarget } from './our-client.ts';
import type { WireRecord } from './wire-record.ts';

function transportTo(target: ServerTarget): Transport {
  if (!('url' in target)) return new StdioClientTransport({ ...target, stderr: 'ignore' });
  const Remote = target.transport === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  return new Remote(new URL(target.url)) as Transport;
}

const listChanged = {
  tools: ToolListChangedNotificationSchema,
  resources: ResourceListChangedNotificationSchema,
  prompts: PromptListChangedNotificationSchema,
};

export async function connectOfficial1(
  target: ServerTarget,
  revision: string,
  wire: () => WireRecord[],
): Promise<AnyClient> {
  const client = new Client(
    { name: 'interop-client', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } } },
  );
  const logs: LogMessage[] = [];
  const asked: string[] = [];
  const updates = new Map<string, (uri: string) => void>();
  const respond = answers([{ uri: 'file:///interop', name: 'interop' }], asked);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => respond.elicit(params as never) as never);
  client.setRequestHandler(CreateMessageRequestSchema, () => respond.sample() as never);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: respond.roots() as never }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    updates.get(params.uri)?.(params.uri),
  );
  const transport = transportTo(target);
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) => {
    const isOffer = 'method' in message && message.method === 'initialize';
    return send(isOffer ? { ...message, params: { ...message.params, protocolVersion: revision } } : message, options);
  };
  let agreed = '';
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    agreed = version;
    setProtocolVersion?.(version);
  };
  await client.connect(transport);

  /** This line of the SDK does not read further pages by itself. */
  const all = async <T>(list: (cursor?: string) => Promise<{ items: T[]; nextCursor?: string }>): Promise<T[]> => {
    const items: T[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(cursor);
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  };

  return {
    revision: agreed,
    name: client.getServerVersion()!.name,
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() as ServerCapabilities,
    logs,
    asked,
    listTools: () =>
      all(async (cursor) => {
        const { tools, nextCursor } = await client.listTools({ cursor });
        return { items: tools as never[], nextCursor };
      }),
    listResources: () =>
      all(async (cursor) => {
        const { resources, nextCursor } = await client.listResources({ cursor });
        return { items: resources as never[], nextCursor };
      }),
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates as never,
    listPrompts: async () => (await client.listPrompts()).prompts as never,
    callTool: (name, args, { onProgress, signal } = {}) =>
      client.callTool({ name, ...(args && { arguments: args }) }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
      }) as never,
    readResource: (uri) => client.readResource({ uri }) as never,
    getPrompt: (name, args) => client.getPrompt({ name, ...(args && { arguments: args }) }) as never,
    complete: async (ref, argument, context) =>
      (await client.complete({ ref, argument, ...(context && { context: { arguments: context } }) })).completion,
    ping: async () => {
      await client.ping();
      return true;
    },
    setLogLevel: async (level) => void (await client.setLoggingLevel(level)),
    subscribe: async (uri, onUpdate) => {
      updates.set(uri, onUpdate);
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    onListChanged: async (kinds, handler) => {
      for (const kind of kinds) client.setNotificationHandler(listChanged[kind], () => handler(kind));
    },
    notifyRootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
    wire,
  };
}
