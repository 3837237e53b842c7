// Generates the schema for editors and the tables of docs/config.md from the rows of the keys.

import { durationText } from '../../src/base/duration.ts';
import type { Described, Keys } from '../../src/config/read/key.ts';
import {
  addressKeys,
  commandKeys,
  fileKeys,
  formatsOfRemotes,
  inputKeys,
  keysOfOthers,
  oauthKeys,
  placeKeys,
  remoteKeys,
  restartKeys,
  settingKeys,
  shareKeys,
  stopKeys,
  taskKeys,
  toolsKeys,
} from '../../src/config/read/keys.ts';
import {
  defaultCommandSettings,
  defaultPlace,
  defaultRemoteSettings,
  defaultRestart,
  defaultSettings,
  defaultShare,
  defaultTasks,
} from '../../src/config/server-config.ts';
import { defaultStopWaits } from '../../src/wire/process/tree/stop-ladder.ts';

interface Table {
  title: string;
  keys: Keys;
  defaults: object;
}

export const tables: readonly Table[] = [
  { title: 'a command', keys: commandKeys, defaults: defaultCommandSettings },
  { title: 'every server', keys: settingKeys, defaults: defaultSettings },
  { title: 'a remote server', keys: remoteKeys, defaults: defaultRemoteSettings },
  { title: 'oauth', keys: oauthKeys, defaults: {} },
  { title: 'restart', keys: restartKeys, defaults: defaultRestart },
  { title: 'stop', keys: stopKeys, defaults: defaultStopWaits },
  { title: 'share', keys: shareKeys, defaults: defaultShare },
  { title: 'tasks', keys: taskKeys, defaults: { after: durationText(defaultTasks.afterMs) } },
  { title: 'tools', keys: toolsKeys, defaults: {} },
  { title: 'place', keys: placeKeys, defaults: defaultPlace },
];

export function tableMarkdown({ keys, defaults }: Table): string {
  const rows = Object.entries(keys).map(([name, key]) => {
    const value = defaultOf(name, key, defaults);
    return `| \`${name}\` | ${key.about} |${value === undefined ? '' : ` \`${JSON.stringify(value)}\``} |`;
  });
  return ['| key | what it is | default |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Default of a key. For an object, the default of the member that its short form sets. */
function defaultOf(name: string, key: Described & { keys?: Keys; short?: string }, defaults: object): unknown {
  const value = (defaults as Record<string, unknown>)[name];
  return key.keys ? key.short && (value as Record<string, unknown>)[key.short] : value;
}

export function configSchema(): object {
  const one = (keys: Keys, about: string, more: object) => ({ ...objectSchema(keys, about), ...more });
  const refs = (keys: Keys) =>
    Object.fromEntries(Object.keys(keys).map((key) => [key, { $ref: `#/definitions/stdioServer/properties/${key}` }]));
  const stdio = { ...commandKeys, ...settingKeys, ...keysOfOthers };
  const remote = one({ ...remoteKeys, ...formatsOfRemotes }, 'A remote server.', {
    anyOf: addressKeys.map((key) => ({ required: [key] })),
  });
  const shared = refs({ ...settingKeys, ...keysOfOthers });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config of tool servers',
    allowComments: true,
    allowTrailingCommas: true,
    ...one(
      fileKeys,
      'The servers, how each is started or reached, and how it is supervised. Read by Standpipe, and in part by Claude Desktop, Cursor and VS Code.',
      { anyOf: [{ required: ['mcpServers'] }, { required: ['servers'] }] },
    ),
    definitions: {
      servers: {
        type: 'object',
        propertyNames: { pattern: '\\S' },
        additionalProperties: {
          anyOf: [{ $ref: '#/definitions/stdioServer' }, { $ref: '#/definitions/remoteServer' }],
        },
      },
      stdioServer: one(stdio, 'A server that is started as a command.', { required: ['command'] }),
      remoteServer: { ...remote, properties: { ...remote.properties, ...shared } },
      input: one(inputKeys, 'A value that a person gives.', { required: ['id'] }),
    },
  };
}

function objectSchema(keys: Keys, about: string) {
  const defaults = tables.filter((table) => Object.keys(table.keys).every((key) => key in keys));
  const all = Object.assign({}, ...defaults.map((table) => table.defaults));
  const properties = Object.entries(keys).map(([name, key]) => [name, keySchema(key, defaultOf(name, key, all))]);
  return {
    type: 'object',
    description: plain(about),
    additionalProperties: false,
    patternProperties: { '^(?://|_|#)': { description: 'A comment.' } },
    properties: Object.fromEntries(properties),
  };
}

function keySchema(key: Described & { keys?: Keys; short?: string }, value: unknown): object {
  const description = plain(key.about);
  const short = key.short && keySchema(key.keys![key.short]!, undefined);
  const own = key.keys ? objectSchema(key.keys, key.about) : key.schema;
  const all = [...(key.orFlag ? [{ type: 'boolean' }] : []), ...(short ? [short] : []), own];
  return {
    description,
    ...(all.length > 1 ? { anyOf: all } : own),
    ...(value === undefined ? {} : { default: value }),
  };
}

/** Strips Markdown formatting. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}
