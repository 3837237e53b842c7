// The schema for editors matches the rows of the keys, and accepts what the reader accepts. UPDATE_CONFIG=1 rewrites
// it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { type ParseError, parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { replacements } from '../../src/config/read/keys.ts';
import { framingByName, framingNames } from '../../src/wire/framing/by-name.ts';
import { fixture, goodConfigs, root } from './fixtures.ts';
import { configSchema, tables } from './keys-page.ts';

const path = join(root, 'schema/mcp.schema.json');
const text = `${JSON.stringify(configSchema(), undefined, 2)}\n`;
const schema = JSON.parse(text);
const { stdioServer, remoteServer } = schema.definitions;
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

test.each(goodConfigs)('%s matches the schema', (name) => {
  expect(isValid(readFileSync(fixture(name), 'utf8')), JSON.stringify(validate.errors)).toBe(true);
});

test.each([
  ['no servers', '{}'],
  ['a file of invalid entries', readFileSync(fixture('wrong/mistakes.jsonc'), 'utf8')],
  ['an unknown key', entry({ command: 'x', comand: 'y' })],
  ['a key of another host', entry({ command: 'x', timeout: 3 })],
  ['no command', entry({ args: [] })],
  ['args as a string', entry({ command: 'x', args: '-y' })],
  ['a boolean in env', entry({ command: 'x', env: { A: true } })],
  ['an unknown protocol', entry({ command: 'x', protocol: 'http' })],
  ['an unknown framing', entry({ command: 'x', framing: 'lines' })],
  ['a timeout of zero', entry({ command: 'x', startupTimeoutMs: 0 })],
  ['an unknown policy', entry({ command: 'x', restart: 'sometimes' })],
  ['an unknown value of share', entry({ command: 'x', share: { by: 'window' } })],
  ['no replicas', entry({ command: 'x', place: { replicas: 0 } })],
  ['a label with a space', entry({ command: 'x', place: { labels: ['a b'] } })],
  ['an empty pattern', entry({ command: 'x', tools: [''] })],
  ['an address and a command', entry({ command: 'x', url: 'https://x.test' })],
  ['a type without an address', entry({ type: 'http' })],
  ['a WebSocket', entry({ type: 'ws', url: 'ws://x.test' })],
  ['args of a URL', entry({ url: 'https://x.test', args: [] })],
  ['a header with a space', entry({ url: 'https://x.test', headers: { 'A b': 'c' } })],
  ['a number in a header', entry({ url: 'https://x.test', headers: { A: 1 } })],
  ['a server without a name', JSON.stringify({ mcpServers: { '': { command: 'x' } } })],
])('%s does not match the schema', (_, text) => {
  expect(isValid(text)).toBe(false);
});

test('the schema of the package is that of the keys', () => {
  if (process.env.UPDATE_CONFIG) writeFileSync(path, text);
  else expect(readFileSync(path, 'utf8')).toBe(text);
});

test('deprecated keys are in no schema', () => {
  expect(Object.keys(stdioServer.properties).filter((key) => Object.hasOwn(replacements, key))).toEqual([]);
});

test.each(tables)('every key of $title has a description and its default', ({ title, keys, defaults }) => {
  const whole = { 'a command': stdioServer, 'every server': stdioServer, 'a remote server': remoteServer }[title];
  const alone = remoteServer.properties[title] ?? stdioServer.properties[title];
  const followed = alone?.$ref ? stdioServer.properties[title] : alone;
  const { properties } = whole ?? followed.anyOf?.at(-1) ?? followed;
  expect(properties).toMatchObject(Object.fromEntries(Object.keys(keys).map((key) => [key, {}])));
  expect(Object.keys(keys).filter((key) => !properties[key].description)).toEqual([]);
  const plain = Object.entries(defaults).filter(([key, value]) => keys[key] && typeof value !== 'object');
  expect(properties).toMatchObject(
    Object.fromEntries(
      plain.filter(([, value]) => value !== undefined).map(([key, value]) => [key, { default: value }]),
    ),
  );
});

test('the framings are those of the code', () => {
  const [named, sized] = stdioServer.properties.framing.anyOf;
  expect([...named.enum, 'fixed-length:<bytes>']).toEqual(framingNames);
  for (const name of [...named.enum, 'fixed-length:16']) expect(framingByName(name).name).toBe(name);
  expect(new RegExp(sized.pattern).test('fixed-length:16')).toBe(true);
});
