// The schema that editors use says what the reader does.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { type ParseError, parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import {
  commandKeys,
  fileKeys,
  inputKeys,
  keysOfOthers,
  keysToReplace,
  oauthKeys,
  placeKeys,
  remoteKeys,
  restartKeys,
  shareKeys,
  spellingsOfRemotes,
  stopKeys,
  toolsKeys,
} from '../../src/config/read/known-keys.ts';
import { defaultPlace } from '../../src/config/read/place.ts';
import { defaultRestart, defaultSettings, defaultShare } from '../../src/config/server-config.ts';
import { framingByName, framingNames } from '../../src/framing/by-name.ts';
import { defaultStopWaits } from '../../src/process/tree/stop-ladder.ts';
import { fixture, goodConfigs, root } from './fixtures.ts';

const schema = JSON.parse(readFileSync(join(root, 'schema/mcp.schema.json'), 'utf8'));
const { stdioServer, remoteServer, oauth, place, restart, share, stop, tools, input } = schema.definitions;
const validate = new Ajv({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  keywords: ['allowComments', 'allowTrailingCommas'],
}).compile(schema);

function isValid(text: string): boolean {
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true });
  return errors.length === 0 && validate(value);
}

const entry = (server: object) => JSON.stringify({ mcpServers: { a: server } });

test.each(goodConfigs)('%s fits the schema', (name) => {
  expect(isValid(readFileSync(fixture(name), 'utf8')), JSON.stringify(validate.errors)).toBe(true);
});

test.each([
  ['no servers', '{}'],
  ['a file of mistakes', readFileSync(fixture('wrong/mistakes.jsonc'), 'utf8')],
  ['an unknown key', entry({ command: 'x', comand: 'y' })],
  ['a key of another host', entry({ command: 'x', timeout: 3 })],
  ['no command', entry({ args: [] })],
  ['args as text', entry({ command: 'x', args: '-y' })],
  ['a boolean in env', entry({ command: 'x', env: { A: true } })],
  ['an unknown protocol', entry({ command: 'x', protocol: 'http' })],
  ['an unknown framing', entry({ command: 'x', framing: 'lines' })],
  ['a timeout of nothing', entry({ command: 'x', startupTimeoutMs: 0 })],
  ['an unknown policy', entry({ command: 'x', restart: 'sometimes' })],
  ['an unknown way to share', entry({ command: 'x', share: { by: 'window' } })],
  ['no replicas', entry({ command: 'x', place: { replicas: 0 } })],
  ['a label with a blank', entry({ command: 'x', place: { labels: ['a b'] } })],
  ['an empty pattern', entry({ command: 'x', tools: [''] })],
  ['an address and a command', entry({ command: 'x', url: 'https://x.test' })],
  ['a type without an address', entry({ type: 'http' })],
  ['a WebSocket', entry({ type: 'ws', url: 'ws://x.test' })],
  ['arguments of an address', entry({ url: 'https://x.test', args: [] })],
  ['a header with a blank', entry({ url: 'https://x.test', headers: { 'A b': 'c' } })],
  ['a number in a header', entry({ url: 'https://x.test', headers: { A: 1 } })],
  ['a server without a name', JSON.stringify({ mcpServers: { '': { command: 'x' } } })],
])('%s does not fit', (_, text) => {
  expect(isValid(text)).toBe(false);
});

test.each([
  ['the file', schema, fileKeys],
  ['a server', stdioServer, [...commandKeys, ...keysOfOthers]],
  ['restart', restart, restartKeys],
  ['share', share, shareKeys],
  ['place', place, placeKeys],
  ['stop', stop, stopKeys],
  ['tools', tools, toolsKeys],
  ['an input', input, inputKeys],
  ['a remote server', remoteServer, [...remoteKeys, ...spellingsOfRemotes, ...keysOfOthers]],
  ['oauth', oauth, oauthKeys],
])('the keys of %s are those that the reader knows', (_, part, keys) => {
  expect(Object.keys(part.properties).sort()).toEqual([...keys].sort());
});

test('keys that are to be replaced are in no schema', () => {
  expect(Object.keys(stdioServer.properties).filter((key) => keysToReplace.has(key))).toEqual([]);
});

test('every key has a description for editors', () => {
  const all = [schema, stdioServer, remoteServer, oauth, place, restart, share, stop, tools, input].flatMap((part) =>
    Object.entries(part.properties),
  );
  const followed = all.map(([key, part]) => [key, resolve(part)] as const);
  expect(followed.filter(([, part]) => !part.description).map(([key]) => key)).toEqual([]);
});

test('the defaults are the real ones', () => {
  const defaults = (part: { properties: Record<string, object> }) =>
    Object.fromEntries(Object.entries(part.properties).map(([key, each]) => [key, resolve(each).default]));
  expect(defaults(restart)).toEqual(defaultRestart);
  expect(defaults(share)).toEqual(defaultShare);
  expect(defaults(place)).toEqual(defaultPlace);
  expect(defaults(stop)).toEqual(defaultStopWaits);
  expect(defaults(stdioServer)).toMatchObject({
    startupTimeoutMs: defaultSettings.startupTimeoutMs,
    requestTimeoutMs: defaultSettings.requestTimeoutMs,
    pingTimeoutMs: defaultSettings.pingTimeoutMs,
    autoStart: true,
    enabled: true,
    keepDaemons: false,
    protocol: 'mcp',
  });
});

test('the framings are the real ones', () => {
  const [named, sized] = stdioServer.properties.framing.anyOf;
  expect([...named.enum, 'fixed-length:<bytes>']).toEqual(framingNames);
  for (const name of [...named.enum, 'fixed-length:16']) expect(framingByName(name).name).toBe(name);
  expect(new RegExp(sized.pattern).test('fixed-length:16')).toBe(true);
});

function resolve(part: unknown): { description?: string; default?: unknown } {
  const { $ref } = part as { $ref?: string };
  const path = $ref?.split('/').slice(1) ?? [];
  return $ref ? path.reduce((at, key) => at[key], schema) : (part as object);
}
