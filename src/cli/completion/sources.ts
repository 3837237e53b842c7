// The data for completions: from the running host, or from the config and the cache. No server is started.

import type { ServerClient } from '../../host/services/typed-client.ts';
import { loadServers } from '../servers/own-host.ts';
import { findRunningHost } from '../servers/running-host.ts';
import type { Settings } from '../settings.ts';
import { type RememberedTool, recallTools } from './remembered-tools.ts';

export interface Sources {
  servers(): Promise<string[]>;
  tools(server: string): Promise<RememberedTool[]>;
  /** By their address. */
  allTools(): Promise<{ server: string; tool: RememberedTool }[]>;
  resources(server: string): Promise<string[]>;
  prompts(server: string): Promise<{ name: string; arguments?: { name: string }[] }[]>;
  close(): Promise<void>;
}

export async function completionSources(settings: Settings): Promise<Sources> {
  const host = await findRunningHost(settings);
  const running = (await host?.status())?.servers;
  const isReady = (server: string) => running?.some(({ name, state }) => name === server && state === 'ready');
  const ask = async <T>(server: string, from: (client: ServerClient) => Promise<T>, otherwise: T): Promise<T> =>
    host && isReady(server) ? from(host.client(server)) : otherwise;
  const sources: Sources = {
    async servers() {
      return (running ?? (await loadServers(settings)).servers).map(({ name }) => name);
    },
    tools: (server) =>
      ask(server, async (client) => (await client.listTools()).tools, recallTools(settings)[server] ?? []),
    async allTools() {
      const lists = await Promise.all(
        (await sources.servers()).map(async (server) =>
          (await sources.tools(server)).map((tool) => ({ server, tool })),
        ),
      );
      return lists.flat();
    },
    resources: (server) =>
      ask(server, async (client) => (await client.listResources()).resources.map(({ uri }) => uri), []),
    prompts: (server) => ask(server, async (client) => (await client.listPrompts()).prompts, []),
    close: async () => host?.close(),
  };
  return sources;
}
