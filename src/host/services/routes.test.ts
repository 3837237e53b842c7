import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { ListName } from '../../mcp/methods.ts';
import { NEWEST_MODERN } from '../../mcp/revisions.ts';
import type { HostedServer } from '../hosted-server.ts';
import { type Offer, resolve } from './catalog.ts';
import { MergedLists } from './merged-lists.ts';
import { Routes } from './routes.ts';

/** Counts the reads of an entry of a list: of its name, or of its permission. */
class Work {
  looks = 0;
}

/** A ready server with valid lists. */
function serverWith(
  name: string,
  lists: Partial<Record<ListName, readonly string[]>>,
  work = new Work(),
): HostedServer {
  const byName = new Map<ListName, Map<string, object>>();
  for (const [list, names] of Object.entries(lists)) {
    const entry = (own: string) => ({
      get name() {
        work.looks++;
        return own;
      },
    });
    byName.set(list as ListName, new Map(names.map((own) => [own, entry(own)])));
  }
  const last = (list: ListName) => byName.get(list) ?? new Map<string, object>();
  return {
    config: { name, enabled: true },
    supervised: { state: 'ready', intention: {} },
    mayUse: () => {
      work.looks++;
      return true;
    },
    pool: { home: { catalogue: { last, valid: (list: ListName) => [...last(list).values()] } } },
  } as unknown as HostedServer;
}

const routesOf = (...members: HostedServer[]) =>
  new Routes(
    MergedLists.of(
      () => members,
      new ManualClock(),
      () => undefined,
    ),
  );

const manyNames = Array.from({ length: 20_000 }, (_, at) => `tool number ${at}`);

describe('routes of names without a server', () => {
  it('read a bounded number of entries for known and unknown names', async () => {
    const work = new Work();
    const routes = routesOf(
      serverWith('one', { tools: manyNames }, work),
      serverWith('two', { tools: ['other'] }, work),
    );
    await expect(routes.named('tools', 'absent')).rejects.toThrow('No server has a tool named "absent"');
    expect(work.looks).toBeLessThanOrEqual(1000);
    await expect(routes.named('tools', 'one__absent_00000000')).resolves.toMatchObject({ own: 'absent_00000000' });
    expect(work.looks).toBeLessThanOrEqual(1000);
    await expect(routes.named('tools', 'tool number 17')).resolves.toMatchObject({ own: 'tool number 17' });
    expect(work.looks).toBeLessThanOrEqual(1001);
  });

  it('suggest unambiguous addresses, and refuse a name of two servers', async () => {
    const routes = routesOf(serverWith('one', { tools: ['echo', 'add'] }), serverWith('two', { tools: ['echo'] }));
    await expect(routes.named('tools', 'ad')).rejects.toMatchObject({
      hint: 'Did you mean "add"? There are: one/echo, add, two/echo',
    });
    await expect(routes.named('tools', 'echo')).rejects.toThrow('one/echo, two/echo');
  });
});

describe('routes of unlisted URIs', () => {
  /**
   * Templates are compared from their end: each of these expressions matches anywhere, but the text before it nowhere.
   */
  const costly = Array.from({ length: 300 }, (_, at) => `mem://{a}~${at}${'{+a}'.repeat(200)}!`);
  const uri = `mem://${'!'.repeat(1000)}`;

  it('are refused if the templates of the servers take too many steps, and found if the address names its server', async () => {
    const routes = routesOf(serverWith('one', { resourceTemplates: [...costly, 'users://{id}'] }));
    await expect(routes.ofUri(uri, NEWEST_MODERN)).rejects.toMatchObject({
      message: expect.stringContaining('too many resource templates'),
      hint: `Name its server: standpipe://<server>/${uri}`,
    });
    await expect(routes.ofUri('users://ada', NEWEST_MODERN)).resolves.toMatchObject({ own: 'users://ada' });
    expect(routes.ofUri(`standpipe://one/${uri}`, NEWEST_MODERN)).toMatchObject({ own: uri });
  });

  it('share one budget per request', async () => {
    const routes = routesOf(serverWith('one', { resourceTemplates: ['users://{id}', 'users://{id}/{name}'] }));
    const steps = { left: 1000 };
    const uris = Array.from({ length: 50 }, (_, at) => `users://ada-${at}`);
    const results = await Promise.allSettled(uris.map(async (each) => routes.ofUri(each, NEWEST_MODERN, steps)));
    expect(results[0]!.status).toBe('fulfilled');
    expect(results.at(-1)).toMatchObject({
      reason: { message: expect.stringContaining('too many resource templates') },
    });
  });

  it('are compared once while the lists do not change', async () => {
    const routes = routesOf(serverWith('one', { resourceTemplates: ['users://{id}', 'files://{+path}'] }));
    const steps = { left: 1000 };
    await expect(routes.ofUri('other://x', NEWEST_MODERN, steps)).rejects.toThrow('other://x');
    expect(steps.left).toBe(998);
  });
});

it('resolves an address without a server without computing listed names, which may need a hash each', () => {
  const work = new Work();
  const offers = manyNames.map((name) => ({
    server: 'one',
    get name() {
      work.looks++;
      return name;
    },
    address: name,
    sharedWith: [],
    definition: {},
  })) satisfies Offer<object>[];
  expect(() => resolve(offers, 'absent', 'tool', ['one'])).toThrow('No server has a tool named "absent"');
  expect(work.looks).toBe(2 * offers.length); // each offer is searched as server/name and as a name
});
