// Apps and skills through the command line: `connect` to one server and to all servers as one, and the process that `share` shares.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { listSkills, readSkillFile } from '../../src/mcp/extensions/skills/skill-reader.ts';
import { cleanEnv, everything, folder, program, runCli, startHost, stopHost, writeConfig } from '../cli/run-cli.ts';
import { fixtureServer } from '../fixtures/extensions/servers.ts';
import { later } from '../fixtures/later.ts';

/** The commands of MCP hosts. */
const commands: Record<string, { command: string; args: string[] }> = {};
const env = cleanEnv as Record<string, string>;

beforeAll(async () => {
  const [, command, ...args] = everything;
  const config = writeConfig('extensions.json', { shop: fixtureServer, everything: { command, args } });
  const host = await startHost(['--config', config]);
  const connecting = (...words: string[]) => ({ command: process.execPath, args: [program, 'connect', ...words] });
  commands['connect to one server'] = connecting('shop', '--config', config);
  commands['connect to all servers'] = connecting('--all', '--config', config);

  mkdirSync(join(folder, '.cursor'), { recursive: true });
  const shared = join(folder, '.cursor/mcp.json');
  writeFileSync(shared, JSON.stringify({ mcpServers: { shop: fixtureServer } }));
  await runCli(['share', 'install', shared]);
  commands.share = JSON.parse(readFileSync(shared, 'utf8')).mcpServers.shop;
  expect(commands.share!.args).toContain('connect');
  return () => stopHost(host);
});
afterAll(() => runCli(['down', '--shared']));

/** Declares that it shows apps. */
const shows = {
  capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
};

const cells = [
  ['connect to one server', 'clock', 'ui://clock/view.html', 'skill://refunds/SKILL.md'],
  ['connect to all servers', 'shop__clock', 'ui://shop/clock/view.html', 'skill://shop/refunds/SKILL.md'],
  ['share', 'clock', 'ui://clock/view.html', 'skill://refunds/SKILL.md'],
] as const;

describe.each(cells)('%s', (way, tool, view, skillUri) => {
  async function open(revision: '2026-07-28' | '2025-11-25' = '2026-07-28') {
    const client = await connect({ ...commands[way]!, env }, { ...shows, revision });
    later(() => client.close());
    return client;
  }

  test.each(['2026-07-28', '2025-11-25'] as const)(
    'gives a client of %s the view of a tool, which calls the tool by its own name',
    async (revision) => {
      const client = await open(revision);
      const { tools } = await client.listTools();
      const { resourceUri } = tools.find(({ name }) => name === tool)!._meta!.ui as { resourceUri: string };
      expect(resourceUri).toBe(view);
      const { contents } = await client.readResource(resourceUri);
      expect(contents).toMatchObject([
        {
          uri: view,
          mimeType: 'text/html;profile=mcp-app',
          text: expect.stringContaining('<!doctype html>'),
          _meta: { ui: { csp: { connectDomains: ['https://time.example'] } } },
        },
      ]);
      const { content } = await client.callTool('clock', {});
      expect(content).toMatchObject([{ text: 'noon' }, { type: 'resource_link', uri: view }]);
    },
  );

  test('gives a client the skill of the server, whose digests are valid', async () => {
    const client = await open();
    const [skill] = await listSkills(client);
    expect(skill).toMatchObject({ uri: skillUri });
    const files = (skill!.resources as { uri: string }[]).map(({ uri }) => uri);
    expect(files).toHaveLength(2);
    for (const uri of files) expect(await readSkillFile(client, skill!, uri)).not.toHaveLength(0);
  });
});
