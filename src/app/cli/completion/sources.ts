// Reads the data for completions from the running host, or from the config and the cache, without starting a server.

import { systemClock } from '../../../base/clock.ts';
import { SILENT, within } from '../../../base/wait.ts';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import { loadServers } from '../servers/own-host.ts';
import { findRunningHost } from '../servers/running-host.ts';
import type { Settings } from '../settings.ts';
import { type RememberedTool, recallTools } from './remembered-tools.ts';

export interface Sources {
  servers(): Promise<string[]>;
  tools(server: string): Promise<RememberedTool[]>;
  /** Addresses of remote servers. */
  allTools(): Promise<{ server: string; tool: RememberedTool }[]>;
  resources(server: string): Promise<string[]>;
  prompts(server: string): Promise<{ name: string; arguments?: { name: string }[] }[]>;
  close(): Promise<void>;
}

/** Limit for the answer of a host, because the user is typing. */
const PATIENCE_MS = 5_000;

/** Undefined on a failure or a timeout. */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const value = await within(
    systemClock,
    PATIENCE_MS,
    answer.catch(() => undefined),
  );
  return value === SILENT ? undefined : value;
}

export async function completionSources(settings: Settings): Promise<Sources> {
  const host = await inTime(findRunningHost(settings));
  const running = host && (await inTime(host.status()))?.servers;
  const isReady = (server: string) => running?.some(({ name, state }) => name === server && state === 'ready');
  const ask = async <T>(server: string, from: (client: ServerClient) => Promise<T>, otherwise: T): Promise<T> =>
    (host && isReady(server) ? await inTime(from(host.client(server))) : undefined) ?? otherwise;
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
    close: async () => void (host && (await inTime(host.close()))),
  };
  return sources;
}
