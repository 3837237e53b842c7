// Types of tools in TypeScript: signatures for readers, types for the compiler, and a client that infers from them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { signatureOf, typesOf } from '../../src/app/cli/commands/types.ts';
import { type CallToolResult, type Client, connect, type StdioClientTransport } from '../../src/entry/client.ts';
import type { Tool } from '../../src/mcp/types.ts';
import { everything, folder, runCli } from './run-cli.ts';

const add: Tool = {
  name: 'add',
  description: 'Adds */ numbers.\nSecond line.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'integer' }, 'how-to': { enum: ['fast', 'slow', 3] } },
    required: ['a'],
  },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
};

test('a signature names the parameters with their types', () => {
  expect(signatureOf(add)).toBe('add(a: number, b?: number, "how-to"?: "fast" | "slow" | 3): { sum: number }');
  expect(signatureOf({ name: 'ping', inputSchema: { type: 'object', additionalProperties: false } })).toBe('ping()');
  expect(signatureOf({ name: 'any', inputSchema: { type: 'object' } })).toBe('any([name: string]: unknown)');
});

test('a module has one type, with the first line of each description', () => {
  expect(typesOf('my-weather.2', [add, { name: 'a b', inputSchema: { type: 'object' } }])).toBe(
    `// The tools of my-weather.2, written by \`standpipe types\`.

export type MyWeather2Tools = {
  /** Adds *\\/ numbers. */
  add: { input: { a: number; b?: number; "how-to"?: "fast" | "slow" | 3 }; output: { sum: number } };
  "a b": { input: { [name: string]: unknown }; output: unknown };
};
`,
  );
});

test.each([
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ type: ['string', 'number'] }, 'string | number'],
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, 'Array<string | number>'],
  [{ type: 'array', items: { type: 'string' } }, 'string[]'],
  [{ $ref: '#/$defs/point' }, '{ x: number }'],
  [{ allOf: [{ $ref: '#/$defs/point' }, { properties: { y: { type: 'number' } } }] }, '{ x: number } & { y?: number }'],
  [{ type: 'object', additionalProperties: { type: 'boolean' } }, '{ [name: string]: boolean }'],
  [{ const: 'circle' }, '"circle"'],
  [{ $ref: '#/$defs/nowhere' }, 'unknown'],
  [true, 'unknown'],
])('the schema %j becomes the type %s', (schema, type) => {
  const point = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] };
  const inputSchema = { type: 'object' as const, properties: { v: schema }, required: ['v'], $defs: { point } };
  expect(signatureOf({ name: 't', inputSchema } as Tool)).toBe(`t(v: ${type})`);
});

test('a recursive schema ends with unknown', () => {
  const node = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
  const text = signatureOf({ name: 'tree', inputSchema: node } as Tool);
  expect(text).toContain('left?: unknown');
  expect(text.length).toBeLessThan(200_000);
});

test('tools --signatures prints signatures, and types writes a module, to a file with --output', async () => {
  const { stdout } = await runCli(['tools', '--signatures', ...everything]);
  expect(stdout).toMatch(/^everything\/greet\(name: string\)/m);
  const types = await runCli(['types', ...everything]);
  expect(types).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}greet: \{ input: \{ name: string/m) });
  const file = join(folder, 'tools.ts');
  writeFileSync(file, '');
  expect(await runCli(['types', '--json', '--output', file, ...everything])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('EverythingTools'),
  });
  expect((await runCli(['types'])).code).toBe(2);
});

type WeatherTools = {
  forecast: { input: { city: string; days?: number }; output: { degrees: number } };
  stations: { input: { near?: string }; output: unknown };
};

test('callTool of a typed client infers from the types', () => {
  const use = async (client: Client<StdioClientTransport, WeatherTools>, any: Client) => {
    const { structuredContent } = await client.callTool('forecast', { city: 'Oslo' });
    expectTypeOf(structuredContent).toEqualTypeOf<{ degrees: number } | undefined>();
    expectTypeOf(await client.callTool('stations')).toEqualTypeOf<CallToolResult>();
    // @ts-expect-error: there is no such tool
    await client.callTool('forcast', { city: 'Oslo' });
    // @ts-expect-error: city is required
    await client.callTool('forecast', {});
    // @ts-expect-error: arguments are required
    await client.callTool('forecast');
    // @ts-expect-error: days is a number
    await client.callTool('forecast', { city: 'Oslo', days: '3' });
    expectTypeOf(await any.callTool('anything', { x: 1 }, { timeoutMs: 5 })).toEqualTypeOf<CallToolResult>();
    await any.callTool('anything');
  };
  expectTypeOf(use).toBeFunction();
  const open = () => connect<WeatherTools>({ command: 'node' });
  expectTypeOf<Awaited<ReturnType<typeof open>>>().toEqualTypeOf<Client<StdioClientTransport, WeatherTools>>();
});
