// The official client of the 2.x line, for the checks of the matrix.

import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { LogLevel, LogMessage, ServerCapabilities } from '../../src/mcp/types.ts';
import { type AnyClient, answers, type ListKind } from './any-client.ts';
import type { ServerTarget } from './our-client.ts';
import type { WireRecord } from './wire-record.ts';

/** Modern: `auto`, which probes the era in a separate process first. Otherwise: offers `revision`. */
export async function connectOfficial2(
  target: ServerTarget,
  revision: string,
  wire: () => WireRecord[],
): Promise<AnyClient> {
  const isModern = revision >= '2026-07-28';
  const client = new Client(
    { name: 'interop-client', version: '2' },
    {
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
      ...(isModern ? { versionNegotiation: { mode: 'auto' } } : { supportedProtocolVersions: [revision] }),
    },
  );
  const logs: LogMessage[] = [];
  const asked: string[] = [];
  const updates = new Map<string, (uri: string) => void>();
  const respond = answers([{ uri: 'file:///interop', name: 'interop' }], asked);
  client.setRequestHandler('elicitation/create', ({ params }) => respond.elicit(params as never) as never);
  client.setRequestHandler('sampling/createMessage', () => respond.sample() as never);
  client.setRequestHandler('roots/list', () => ({ roots: respond.roots() }));
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    updates.get(params.uri)?.(params.uri),
  );
  let logLevel: LogLevel | undefined;
  await client.connect(
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url))
      : new StdioClientTransport({ ...target, stderr: 'ignore' }),
  );
  return {
    revision: client.getNegotiatedProtocolVersion()!,
    name: client.getServerVersion()!.name,
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() as ServerCapabilities,
    logs,
    asked,
    listTools: async () => (await client.listTools()).tools as never,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: async () => (await client.listPrompts()).prompts,
    callTool: async (name, args, { onProgress, signal } = {}) => {
      const _meta = isModern && logLevel ? { _meta: { [LOG_LEVEL_META_KEY]: logLevel } } : {};
      return (await client.callTool(
        { name, ...(args && { arguments: args }), ..._meta },
        { ...(signal && { signal }), ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }) },
      )) as never;
    },
    readResource: (uri) => client.readResource({ uri }) as never,
    getPrompt: (name, args) => client.getPrompt({ name, ...(args && { arguments: args }) }) as never,
    complete: async (ref, argument, context) =>
      (await client.complete({ ref, argument, ...(context && { context: { arguments: context } }) })).completion,
    ping: async () => {
      if (isModern) return false;
      await client.ping();
      return true;
    },
    setLogLevel: async (level) => {
      logLevel = level;
      if (!isModern) await client.setLoggingLevel(level);
    },
    subscribe: async (uri, onUpdate) => {
      updates.set(uri, onUpdate);
      if (isModern) {
        const listening = await client.listen({ resourceSubscriptions: [uri] });
        return () => listening.close();
      }
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    onListChanged: async (kinds, handler) => {
      const handle = (kind: ListKind) =>
        client.setNotificationHandler(`notifications/${kind}/list_changed`, () => handler(kind));
      for (const kind of kinds) handle(kind);
      if (isModern) await client.listen(Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])));
    },
    notifyRootsChanged: async () => {
      if (!isModern) await client.sendRootsListChanged();
    },
    close: () => client.close(),
    wire,
  };
}
