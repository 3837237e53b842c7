// For tests: reads a config from a text, with the files and variables of the test.

import { type ConfigFile, configFromText, type FileContext } from './config-file.ts';
import { placeOf } from './files/places.ts';
import type { Position } from './problem.ts';
import { type CommandConfig, defaultRestart, defaultShare, type RemoteConfig } from './server-config.ts';

export const file = '/project/mcp.json';

export interface World extends Partial<Omit<FileContext, 'readText'>> {
  file?: string;
  folder?: string;
  files?: Record<string, string>;
}

export function read(text: string, world: World = {}): Promise<ConfigFile> {
  const { file: path = file, folder = '/project', files = {}, ...context } = world;
  const { host, layout } = placeOf(path, { cwd: '/', home: '/home/ada', env: {}, platform: 'linux' });
  const place = { file: path, origin: 'named', folder, host, layout } as const;
  return configFromText(text, place, {
    env: {},
    platform: 'linux',
    home: '/home/ada',
    readText: async (name) => {
      const found = files[name];
      if (found === undefined) throw new Error('ENOENT: no such file');
      return found;
    },
    ...context,
  });
}

/** One server that is started as a command, by its entry. */
export async function readOne(entry: object, world?: World) {
  const { servers, problems } = await read(JSON.stringify({ mcpServers: { one: entry } }), world);
  return { server: servers[0] as CommandConfig | undefined, problems };
}

/** One remote server. */
export async function readRemote(entry: object, world?: World) {
  const { server, problems } = await readOne(entry, world);
  return { server: server as unknown as RemoteConfig | undefined, problems };
}

/** The text without its `§`, and the position of the `§`. */
export function marked(text: string): { text: string; at: Position } {
  const offset = text.indexOf('§');
  const before = text.slice(0, offset).split('\n');
  return {
    text: text.replace('§', ''),
    at: { file, line: before.length, column: before.at(-1)!.length + 1 },
  };
}

/** The default settings of an entry, local or remote. */
export const settingsByDefault = {
  autoStart: true,
  era: 'auto',
  revision: undefined,
  startupTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  pingTimeoutMs: 30_000,
  maxFrameBytes: 16_777_216,
  maxFrameValues: 250_000,
  restart: defaultRestart,
  share: defaultShare,
  asks: false,
  clientCapabilities: ['elicitation', 'sampling', 'roots'],
  tools: {},
  unlisted: false,
};
