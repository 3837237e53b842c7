// Windows of an editor that use one server through `connect`, started by an entry that `share install` wrote.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { group } from '../scenario.mjs';

async function sharedEntry(t) {
  const file = t.write('user\\.cursor\\mcp.json', JSON.stringify({ mcpServers: { it: t.serverEntry() } }));
  await t.succeed(['share', 'install', 'cursor']);
  return JSON.parse(readFileSync(file, 'utf8')).mcpServers.it;
}

export default group('Sharing', {
  'three windows use one process of a server': async (t) => {
    const entry = await sharedEntry(t);
    const windows = await Promise.all([1, 2, 3].map(() => t.client(entry)));
    const pids = await Promise.all(windows.map((window) => window.text('pid')));
    assert.equal(new Set(pids).size, 1);
    const texts = ['ü 1', '日 2', '😀 3'];
    assert.deepEqual(await Promise.all(windows.map((window, at) => window.text('echo', { text: texts[at] }))), texts);
    await windows[0].close();
    assert.equal(await windows[1].text('pid'), pids[0]);
    assert.equal(t.pids('server').length, 1);
    await t.succeed(['down', '--shared']);
    await t.untilGone(t.pids('server'));
  },
  'a killed window does not affect the others': async (t) => {
    const entry = await sharedEntry(t);
    const windows = await Promise.all([1, 2].map(() => t.client(entry)));
    const pid = await windows[1].text('pid');
    process.kill(windows[0].pid, 'SIGKILL');
    await t.untilGone([windows[0].pid]);
    assert.equal(await windows[1].text('pid'), pid);
    await t.succeed(['down', '--shared']);
    await t.untilGone(t.pids('server'));
  },
  'a new window starts a new host after the host was stopped': async (t) => {
    const entry = await sharedEntry(t);
    const first = await t.client(entry);
    const { pid } = JSON.parse(await t.succeed(['ls', '--shared', '--json'])).servers[0];
    assert.equal(String(pid), await first.text('pid'));
    await t.succeed(['down', '--shared']);
    await t.untilGone([pid]);
    const second = await t.client(entry);
    assert.notEqual(await second.text('pid'), String(pid));
    await t.succeed(['down', '--shared']);
  },
});
