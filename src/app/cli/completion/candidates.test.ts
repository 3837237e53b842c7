import { expect, test } from 'vitest';
import type { Sources } from './candidates.ts';
import { candidates } from './candidates.ts';

const text = { type: 'string' };
const typed = {
  text,
  flag: { type: 'boolean' },
  mode: { enum: ['fast', 'slow', 3] },
  maybe: { anyOf: [text, { type: 'null' }] },
};
const tools = [
  { name: 'typed', inputSchema: { type: 'object', properties: typed } },
  { name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: { name: text } } },
] as const;
const sources: Sources = {
  servers: async () => ['everything', 'calculator', 'evil name $(touch x)'],
  tools: async (server) => (server === 'everything' ? [...tools] : []),
  allTools: async () => tools.map((tool) => ({ server: 'everything', tool })),
  resources: async () => [],
  prompts: async () => [],
  tasks: () => [{ word: '0f3a', about: 'studio/render' }, { word: '1b9c' }],
  recordings: async () => ['weather-1', 'weather-2'],
  close: async () => undefined,
};

async function complete(...line: string[]) {
  const answer = await candidates(line, async () => sources);
  return Array.isArray(answer) ? answer.map(({ word }) => word) : answer;
}

test('suggests commands, servers, options, and values of options', async () => {
  expect(await complete('re')).toEqual(['read', 'restart', 'recordings', 'replay']);
  expect(await complete('call', '')).toEqual(['everything', 'calculator']);
  expect(await complete('restart', 'ev')).toEqual(['everything']);
  expect(await complete('call', 'calculator', '')).toEqual([]);
  expect(await complete('call', '--re')).toEqual(['--repeatable', '--revision']);
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  expect(await complete('call', '--protocol', '')).toEqual(['mcp', 'litemcp']);
  expect(await complete('--config', 'mc')).toEqual({ filesBehind: '' });
  expect(await complete('call', 'x', '--', 'no')).toEqual({ filesBehind: '' });
  expect(await complete('nonsense', 'x')).toEqual([]);
  expect(await complete('check', '--rule', 'wire/only-m')).toEqual(['wire/only-messages']);
  expect(await complete('logout', 'ev')).toEqual(['everything']);
  expect(await complete('connect', '--name', 'x', '--idle', '1m', 'ev')).toEqual(['everything']);
  expect(await complete('connect', '--share', 'c')).toEqual(['client', 'call']);
  expect(await complete('check', '--baseline', '')).toEqual({ filesBehind: '' });
  expect(await complete('tap', 'install', 'cur')).toEqual(['cursor']);
  expect(await complete('tap', 'install', 'cursor', '')).toEqual([]);
  expect(await complete('fleet', '')).toEqual(['apply', 'diff', 'show']);
  expect(await complete('fleet', 'apply', '')).toEqual({ filesBehind: '' });
  expect(await complete('help', 'lo')).toEqual(['logs', 'lock', 'login', 'logout']);
  expect(await complete('rm', 'everything', '')).toEqual(['calculator']);
  expect(await complete('recordings', '')).toEqual(['ls', 'rm', 'prune']);
  expect(await complete('recordings', 'rm', 'weather-1', '')).toEqual(['weather-2']);
  expect(await complete('replay', 'wea')).toEqual(['weather-1', 'weather-2']);
  expect(await complete('diff', 'weather-1', 'x')).toEqual({ filesBehind: '' });
  expect(await complete('show', 'e')).toEqual(['everything']);
  expect(await complete('show', 'w')).toEqual(['weather-1', 'weather-2']);
  expect(await complete('tasks', 'w')).toEqual(['wait']);
  expect(await complete('tasks', 'wait', '')).toEqual(['0f3a', '1b9c']);
  expect(await complete('tasks', 'answer', '1')).toEqual(['1b9c']);
  expect(await complete('tasks', 'answer', '1b9c', '')).toEqual([]);
  expect(await complete('check', '--litemcp', '--only', 'litemcp-w')).toContain('litemcp-wire');
});

test('suggests tools, names of arguments, and their values', async () => {
  expect(await complete('call', 'everything', 'gr')).toEqual(['greet']);
  expect(await complete('call', 'everything/gr')).toEqual(['everything/greet']);
  expect(await complete('call', 'everything', 'greet', '')).toEqual(['name=']);
  expect(await complete('call', 'everything', 'greet', 'name=x', '')).toEqual([]);
  expect(await complete('call', 'everything', 'typed', 'm')).toEqual(['mode=', 'maybe=']);
  expect(await complete('call', 'everything', 'typed', 'mode=')).toEqual(['mode=fast', 'mode=slow', 'mode=3']);
  expect(await complete('call', 'everything/typed', 'flag=t')).toEqual(['flag=true']);
  expect(await complete('call', 'everything', 'typed', 'text=@no')).toEqual({ filesBehind: 'text=@' });
});
