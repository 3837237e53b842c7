import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolIndex, wordsOf } from './tool-index.ts';
import type { Tool } from './types.ts';

const tool = (name: string, description = '', properties: Record<string, object> = {}): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
});

function indexOf(...tools: (Tool | [server: string, tool: Tool])[]): ToolIndex<{ server: string; tool: Tool }> {
  const index = new ToolIndex<{ server: string; tool: Tool }>();
  for (const each of tools) {
    const [server, definition] = Array.isArray(each) ? each : ['any', each];
    index.add({ server, tool: definition });
  }
  return index;
}

const found = (index: ReturnType<typeof indexOf>, query: string, most = 10) =>
  index.search(query, most).map(({ entry }) => entry.tool.name);

test.each([
  ['createPullRequest', ['creat', 'pull', 'request']],
  ['HTTPServer_list-items2', ['http', 'server', 'list', 'items2']],
  ['Lists all the issues', ['list', 'issu']],
  ['queries', ['query']],
  ['Überblick', ['überblick']],
  ['列出问题', ['列出', '出问', '问题']],
  ['', []],
])('separates the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('finds tools by name, description and parameters, names first', () => {
  const index = indexOf(
    tool('notes', 'Keeps notes about the weather'),
    tool('getWeather', 'Current conditions of a city'),
    tool('lookup', 'Anything', { place: { type: 'string', description: 'City of the weather' } }),
    tool('delete_file', 'Removes a file'),
  );
  expect(found(index, 'what is the weather?')).toEqual(['getWeather', 'notes', 'lookup']);
  expect(found(index, 'removing files')).toEqual(['delete_file']);
  expect(found(index, 'the')).toEqual([]);
  expect(found(index, 'weather', 1)).toEqual(['getWeather']);
});

test('finds the tools of a server by its name', () => {
  const index = indexOf(['github', tool('create_issue')], ['jira', tool('create_issue_in_project')]);
  expect(found(index, 'create an issue at jira')[0]).toBe('create_issue_in_project');
});

test('leaves out what may not be found, and fills its place', () => {
  const index = indexOf(tool('read_a'), tool('read_b'), tool('read_c'));
  const names = index.search('read', 2, ({ tool }) => tool.name !== 'read_a').map(({ entry }) => entry.tool.name);
  expect(names).toEqual(['read_b', 'read_c']);
});

test('reads any text, and finds a tool by its own name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'binary' }), (name, query) => {
      const index = indexOf(tool(name, query), tool('other'));
      expect(found(index, query).length).toBeLessThanOrEqual(2);
      if (wordsOf(name).length > 0) expect(found(index, name)).toContain(name);
    }),
  );
});

test('bounds what it reads of a definition and of a query', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, { type: 'string' }]));
  const index = indexOf(tool('a', `${'x '.repeat(1_000_000)} needle`, many));
  expect(found(index, 'needle')).toEqual([]);
  expect(found(index, 'p99')).toEqual(['a']);
  expect(found(index, 'p100')).toEqual([]);
  expect(found(index, `${'y '.repeat(1_000_000)} a`)).toEqual([]);
});

test.each([null, [], 'text', { properties: null }, { properties: { a: null } }])(
  'reads the schema %j',
  (inputSchema) => {
    expect(found(indexOf({ name: 'tool', inputSchema } as unknown as Tool), 'tool')).toEqual(['tool']);
  },
);
