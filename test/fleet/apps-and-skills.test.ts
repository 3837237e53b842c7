// Views and skills of a server that another node of the fleet runs, for principals with different rights.

import { expect, onTestFinished, test } from 'vitest';
import { UpFleet } from '../../src/app/cli/fleet/up-fleet.ts';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { getSkill, listSkills, readSkillFile } from '../../src/mcp/extensions/skills/skill-reader.ts';
import { fixtureServer } from '../fixtures/extensions/servers.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';

const nats = await startNatsServer();

async function join(name: string, mcpServers: Record<string, typeof fixtureServer>): Promise<Host> {
  const network = { servers: [nats.url], fleet: 'apps', name, lifetimeMs: 60_000, timeoutMs: 60_000 };
  const up = new UpFleet({ network, node: name, labels: [], offers: true, drainMs: undefined });
  const host = new Host({ mcpServers }, { serviceOf: up.serviceOf });
  onTestFinished(async () => {
    await up.leave();
    await host.stop();
  });
  await up.connect();
  const failed = (error: unknown) => expect.unreachable(String(error));
  await up.join(host, { url: `http://${name}`, note: () => undefined, learn: () => undefined, failed });
  await host.start();
  return host;
}

test('reads the views of permitted tools, and verified skills, from another node', async () => {
  await join('runs', { shop: fixtureServer });
  const gateway = await join('serves', {});
  const name = 'shop@runs';
  await expect.poll(() => gateway.names).toContain(name);
  const rights: Record<string, object> = { ada: {}, bob: { tools: [`${name}/time`] }, eve: { servers: ['other'] } };
  const serving = await serveHttp((path) => gateway.service(path), {
    auth: {
      authenticate: (request) => {
        const [, principal] = /Bearer (\w+)/.exec(request.header('authorization') ?? '') ?? [];
        return { name: principal!, ...rights[principal!] };
      },
    },
  });
  onTestFinished(() => serving.close());
  const open = async (principal: string, path: string) => {
    const headers = { authorization: `Bearer ${principal}` };
    const client = await connect({ url: serving.url + path, headers });
    onTestFinished(() => client.close());
    return client;
  };
  const part = encodeURIComponent(name);
  for (const [path, at] of [
    [`/${part}`, ''],
    ['', `${part}/`],
  ]) {
    const [ada, bob] = [await open('ada', path!), await open('bob', path!)];
    const [view, shared] = [`ui://${at}clock/view.html`, `ui://${at}clock/shared.html`];
    expect((await ada.readResource(view)).contents).toMatchObject([{ uri: view }]);
    expect((await bob.readResource(shared)).contents).toMatchObject([{ uri: shared }]);
    await expect(bob.readResource(view)).rejects.toMatchObject({ message: expect.stringContaining('not found') });
    const [skill] = await listSkills(bob);
    expect(skill).toMatchObject({ uri: `skill://${at}refunds/SKILL.md` });
    expect(await getSkill(bob, skill!.uri)).toEqual(skill);
    for (const { uri } of skill!.resources as { uri: string }[]) await readSkillFile(bob, skill!, uri);
    const { resources } = await bob.request('resources/directory/read', { uri: `skill://${at}refunds` });
    expect(resources).toMatchObject([{ name: 'SKILL.md' }, { name: 'more' }]);
  }
  const eve = await open('eve', '');
  await expect(eve.request('skills/list', {})).rejects.toMatchObject({ rpcCode: -32601 });
  await expect(eve.readResource(`ui://${part}/clock/shared.html`)).rejects.toThrow();
});
