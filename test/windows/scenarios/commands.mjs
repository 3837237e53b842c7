// Each command once, as a user or an editor runs it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { group } from '../scenario.mjs';

const read = (file) => readFileSync(file, 'utf8');

export default group('Commands', {
  'call and tools use a server of the config': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    assert.match(await t.succeed(['tools', 'it', '--config', config]), /echo/);
    assert.equal((await t.succeed(['call', 'it', 'echo', 'text=a b', '--config', config])).trim(), 'a b');
    await t.untilGone(t.pids('server'));
  },
  'up, ls, call, logs and down use one host and its process': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const host = await t.host(config);
    const [pid] = await t.marked('server');
    const { servers } = JSON.parse(await t.succeed(['ls', '--json', '--config', config]));
    assert.equal(servers[0].state, 'ready');
    assert.equal(servers[0].pid, pid);
    assert.equal((await t.succeed(['call', 'it', 'pid', '--config', config])).trim(), String(pid));
    assert.match(await t.succeed(['logs', 'it', '--config', config]), /ready/);
    await t.succeed(['down', '--config', config]);
    assert.equal(await host.closed, 0);
    await t.untilGone([pid]);
  },
  'stop, start and restart change the process of a server': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    await t.host(config);
    const pid = async () => Number(await t.succeed(['call', 'it', 'pid', '--config', config]));
    const first = await pid();
    await t.succeed(['restart', 'it', '--config', config]);
    const second = await pid();
    assert.notEqual(first, second);
    await t.succeed(['stop', 'it', '--config', config]);
    await t.untilGone([first, second]);
    await t.succeed(['start', 'it', '--config', config]);
    assert.ok(t.isAlive(await pid()));
    await t.succeed(['down', '--config', config]);
  },
  'up --background returns, and down ends the host': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    await t.succeed(['up', '--background', '--config', config]);
    const [pid] = await t.marked('server');
    await t.succeed(['down', '--config', config]);
    await t.untilGone([pid]);
  },
  'tap passes messages on and records them': async (t) => {
    const record = join(t.folder, 'session.jsonl');
    const args = ['tap', '--record', record, '--', ...t.server()];
    const { code, stdout } = await t.run(args, { input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { jsonrpc: '2.0', id: 1, result: {} });
    assert.match(read(record), /"direction":"toServer".*ping/);
    assert.match(read(record), /"direction":"fromServer"|"direction":"toClient"/);
  },
  'check finds no violation in a correct server': async (t) => {
    const out = await t.succeed(['check', '--json', '--', ...t.server()]);
    const { outcomes } = JSON.parse(out);
    assert.ok(outcomes.length > 100);
    assert.deepEqual(
      outcomes.filter(({ status }) => status === 'failed').map(({ rule }) => rule),
      [],
    );
  },
  'share install and uninstall restore the config byte for byte': async (t) => {
    const text = `\uFEFF{\r\n\t// mine\r\n\t"mcpServers": { "it": ${JSON.stringify(t.serverEntry())}, }\r\n}\r\n`;
    const file = t.write('user\\.cursor\\mcp.json', text);
    assert.match(await t.succeed(['share', 'install', 'cursor']), /it\tshared/);
    assert.match(read(file), /"connect"/);
    assert.match(await t.succeed(['share', 'uninstall', 'cursor']), /no longer shared/);
    assert.equal(read(file), text);
  },
  'import copies the servers of Claude Desktop': async (t) => {
    const entry = t.serverEntry();
    t.write(
      'user\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      JSON.stringify({ mcpServers: { it: entry } }),
    );
    await t.succeed(['import', 'claude-desktop']);
    assert.deepEqual(JSON.parse(read(join(t.folder, 'mcp.json'))).mcpServers.it.args, entry.args);
    assert.equal((await t.succeed(['call', 'it', 'echo', 'text=x'])).trim(), 'x');
  },
  'up --http serves an official client that has the token': async (t) => {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const host = await t.host(t.config({ it: t.serverEntry() }), ['--http', '0']);
    const [, url] = await host.says(/MCP over HTTP at (\S+)/);
    const [, tokenFile] = await host.says(/The token is in (.+\.token)/);
    assert.equal((await fetch(url, { method: 'POST' })).status, 401);
    const requestInit = { headers: { authorization: `Bearer ${read(tokenFile).trim()}` } };
    const client = new Client({ name: 'official', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/it`), { requestInit }));
    const { content } = await client.callTool({ name: 'echo', arguments: { text: 'ü' } });
    assert.deepEqual(content, [{ type: 'text', text: 'ü' }]);
    await client.close();
  },
  'inspect serves the messages of a server to the owner of its token': async (t) => {
    const inspector = t.start(['inspect', '--no-open', '--', ...t.server()]);
    const [, origin, token] = await inspector.says(/(http:\/\/127\.0\.0\.1:\d+)\/\?token=(\S+)/);
    assert.equal((await fetch(`${origin}/api/overview`)).status, 401);
    const headers = { 'x-standpipe-token': token };
    await t.until('it shows the handshake', async () => {
      const response = await fetch(`${origin}/api/events`, { headers });
      return response.ok && (await response.text()).includes('server/discover');
    });
  },
  'add, config and rm change a config': async (t) => {
    await t.succeed(['add', 'it', '--', ...t.server('a b', 'C:\\x\\')]);
    assert.deepEqual(JSON.parse(await t.succeed(['call', 'it', 'args'])), ['a b', 'C:\\x\\']);
    assert.match(await t.succeed(['config']), /it/);
    await t.succeed(['rm', 'it']);
    assert.deepEqual(JSON.parse(read(join(t.folder, 'mcp.json'))).mcpServers, {});
  },
});
