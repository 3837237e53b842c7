import { expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import type { Service, Watcher } from '../../../mcp/service.ts';
import type { HostedServer } from '../../hosted-server.ts';
import { furtherAt } from '../../services/merged-extensions.ts';
import { MergedLists } from '../../services/merged-lists.ts';
import type { Principal } from './auth.ts';
import { restrict, rightsOf, rightsOfScopes, scopesIn } from './rights.ts';

const may = (principal: Omit<Principal, 'name'>, server: string, tool?: string) => {
  const rights = rightsOf({ name: 'someone', ...principal })!;
  return tool === undefined ? rights.mayUseServer(server) : rights.mayUseTool(server, tool);
};

test('a principal without restrictions has no rights object', () => {
  expect(rightsOf({ name: 'someone', quotas: { sessions: 1 } })).toBeUndefined();
  expect(rightsOf(undefined)).toBeUndefined();
});

const cases: [principal: Omit<Principal, 'name'>, server: string, tool: string | undefined, allowed: boolean][] = [
  [{ servers: ['notes'] }, 'notes', undefined, true],
  [{ servers: ['notes'] }, 'notes', 'anything', true],
  [{ servers: ['notes'] }, 'notes2', undefined, false],
  [{ servers: ['notes'] }, 'Notes', undefined, false],
  [{ servers: ['note?'] }, 'notes', undefined, true],
  [{ servers: ['n*'] }, 'notes', undefined, true],
  [{ servers: ['n*'] }, 'my-notes', undefined, false],
  [{ servers: [] }, 'notes', undefined, false],
  [{ servers: ['n.*'] }, 'notes', undefined, false],
  [{ tools: ['read'] }, 'any', 'read', true],
  [{ tools: ['read'] }, 'any', 'write', false],
  [{ tools: ['notes/read'] }, 'notes', 'read', true],
  [{ tools: ['notes/read'] }, 'other', 'read', false],
  [{ tools: ['notes/read'] }, 'other', undefined, false],
  [{ tools: ['notes/read'] }, 'other', 'notes/read', false],
  [{ tools: ['notes/a/b'] }, 'notes', 'a/b', true],
  [{ tools: ['notes/a/b'] }, 'notes/a', 'b', false],
  [{ tools: ['*/read'] }, 'any', 'read', true],
  [{ tools: [''] }, 'any', 'read', false],
  [{ tools: [] }, 'any', undefined, false],
  [{ servers: ['notes'], tools: ['read'] }, 'notes', 'read', true],
  [{ servers: ['notes'], tools: ['read'] }, 'other', 'read', false],
  [{ servers: ['notes'], tools: ['other/read'] }, 'notes', undefined, false],
];

test.each(cases)('%j: %s %s → %s', (principal, server, tool, allowed) => {
  expect(may(principal, server, tool)).toBe(allowed);
});

test('the same rights have the same key, in any order', () => {
  const key = (tools: string[], servers?: string[]) => rightsOf({ name: 'x', tools, servers })!.key;
  expect(key(['a', 'b'])).toBe(key(['b', 'a']));
  expect(new Set([key(['a', 'b']), key(['a,b']), key(['a'], ['b']), key(['a'], []), key(['a'])]).size).toBe(5);
});

test('scopes grant servers and tools', () => {
  const rights = (...scopes: string[]) => rightsOfScopes(scopes);
  expect(rights('openid', 'mcp')).toEqual({});
  expect(rights('mcp', 'mcp:notes')).toEqual({});
  expect(rights('mcp:notes', 'mcp:other')).toEqual({ servers: ['notes', 'other'] });
  expect(rights('mcp:notes', 'mcp:other/read')).toEqual({ tools: ['notes/*', 'other/read'] });
  for (const none of [[], ['openid'], ['mcp:'], ['MCP'], ['mcpx'], ['xmcp:notes'], ['']]) {
    expect([none, rights(...none)]).toEqual([none, undefined]);
  }
  expect(scopesIn({ scope: 'a b', scp: ['c', 'd e', 7] })).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(scopesIn({ scope: { toString: 'mcp' }, scp: null })).toEqual([]);
});

test('a principal with restricted tools subscribes only to notifications that known extensions define', async () => {
  const watched: Watcher[] = [];
  const service = {
    describe: () => ({ info: { name: 'x', version: '1' }, capabilities: {} }),
    watch: async (watcher: Watcher) => {
      watched.push(watcher);
      return () => undefined;
    },
  } as unknown as Service;
  const notified: string[] = [];
  const filter = { toolsListChanged: true, further: { runs: ['delete'], resourceSubscriptions: ['known://1'] } };
  const watch = (principal: Omit<Principal, 'name'>) =>
    restrict(service, 'notes', rightsOf({ name: 'ada', ...principal })!)!.watch({
      filter,
      notified: (method) => notified.push(method),
    });
  await watch({ tools: ['notes/read'] });
  expect(watched[0]!.filter).toEqual({ toolsListChanged: true, further: { resourceSubscriptions: ['known://1'] } });
  watched[0]!.notified('notifications/tools/list_changed', undefined);
  expect(notified).toEqual(['notifications/tools/list_changed']);
  await watch({ servers: ['notes'] });
  expect(watched[1]!.filter).toEqual(filter);
});

test('a principal with restricted tools subscribes to extensions of the merged service', () => {
  const capabilities = { extensions: { 'com.example/runs': {} } };
  const member = { config: { name: 'notes' }, client: {}, service: { describe: () => ({ capabilities }) } };
  const all = MergedLists.of(
    () => [member as unknown as HostedServer],
    systemClock,
    () => undefined,
  );
  const further = (lists: MergedLists) => furtherAt(lists, lists.all[0]!, { runs: ['delete'] });
  expect(further(all)).toEqual({ runs: ['delete'] });
  expect(further(all.restrictedTo(rightsOf({ name: 'ada', servers: ['notes'] })!))).toEqual({ runs: ['delete'] });
  expect(further(all.restrictedTo(rightsOf({ name: 'ada', tools: ['notes/read'] })!))).toBeUndefined();
});
