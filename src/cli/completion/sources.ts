// What a shell can be told about servers: by the host that runs, or else by the config and by what was seen before. No server
// is ever started for it.

import type { HostApi } from '../../host/host-api.ts';
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
  const ready = new Set(
    host ? (await host.status()).filter(({ state }) => state === 'ready').map(({ name }) => name) : [],
  );
  const ask = async <T>(server: string, from: (host: HostApi) => Promise<T>, otherwise: T): Promise<T> =>
    host && ready.has(server) ? from(host) : otherwise;
  const sources: Sources = {
    async servers() {
      if (host) return (await host.status()).map(({ name }) => name);
      return (await loadServers(settings)).servers.map(({ name }) => name);
    },
    tools: (server) => ask(server, (from) => from.listTools(server), recallTools(settings)[server] ?? []),
    async allTools() {
      const lists = await Promise.all(
        (await sources.servers()).map(async (server) =>
          (await sources.tools(server)).map((tool) => ({ server, tool })),
        ),
      );
      return lists.flat();
    },
    resources: (server) =>
      ask(server, async (from) => (await from.listResources(server)).resources.map(({ uri }) => uri), []),
    prompts: (server) => ask(server, (from) => from.listPrompts(server), []),
    close: async () => host?.close(),
  };
  return sources;
}
