// The processes of a server end with it and with its host, for every kind of tree. None of them reads the end of its stdin.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { group, repository } from '../scenario.mjs';

const host = join(repository, 'test', 'windows', 'servers', 'tree-host.mjs');
const server = join(repository, 'test', 'windows', 'servers', 'tree-server.mjs');
const direct = () => [process.execPath, server];
const insideHost = () => [process.execPath, host, ...direct()];
const behindBatch = (t) => batchFile(t, ['@node "%~dp0server.mjs"']);
const leftByBatch = (t) =>
  batchFile(t, ['@start "" /b node "%~dp0server.mjs"', ':wait', '@if not exist "%MARKS%\\grandchild.*" goto wait']);

/** The command of the server, and the process that it starts. */
const trees = {
  'a server': { command: direct },
  'a server behind a .cmd': { command: behindBatch },
  'a child of a server': { command: direct, starts: 'child' },
  'a detached child of a server': { command: direct, starts: 'detached' },
  'a detached child of a server behind a .cmd': { command: behindBatch, starts: 'detached' },
  'a server whose .cmd has exited, and its detached child': { command: leftByBatch, starts: 'detached', isLeft: true },
  'a detached child of the server of a server': { command: insideHost, starts: 'detached' },
};

const scenarios = Object.entries(trees).flatMap(([title, tree]) => [
  [
    `stopping a server ends ${title}`,
    async (t) => {
      const { running, pids } = await start(t, tree);
      running.child.stdin.write('stop\n');
      await running.says(/stopped by SIGKILL/);
      await t.untilGone(pids);
      assert.equal(running.stderr, '');
    },
  ],
  [
    `killing the host ends ${title}`,
    async (t) => {
      const { running, pids } = await start(t, tree, { STRAGGLERS_MS: '600000' });
      assert.deepEqual(pids.filter(t.isAlive), pids);
      running.kill();
      await running.closed;
      await t.untilGone(pids);
    },
  ],
]);

export default group('Process trees', {
  ...Object.fromEntries(scenarios),
  'a command ends a detached child of the server that it called': async (t) => {
    const config = t.config({ it: t.serverEntry({ STARTS: 'detached' }) });
    const { code, stderr } = await t.run(['call', 'it', 'pid', '--config', config]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    await t.untilGone([...t.pids('server'), ...t.pids('grandchild')]);
  },
  'killing the command that started a background host leaves the host and its server running': async (t) => {
    const env = { ...t.userEnv(), MARKS: t.marksFolder };
    const pidOfServer = async () => {
      const running = t.start(['connect', '--env', 'MARKS', '--', ...t.server()], { env });
      const clientInfo = { name: 'scenario', version: '1.0.0' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      running.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      await running.says(/"id":1\b/);
      running.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      running.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'pid', arguments: {} } });
      const [, pid] = await running.says(/"text":"(\d+)"/);
      running.kill();
      await running.closed;
      return pid;
    };
    try {
      assert.equal(await pidOfServer(), await pidOfServer());
    } finally {
      await t.run(['down', '--shared'], { env });
    }
  },
});

/** Waits until every process of the tree runs. */
async function start(t, { command, starts, isLeft }, hostEnv = {}) {
  const env = { ...t.userEnv(), MARKS: t.marksFolder, ...(starts && { STARTS: starts }), ...hostEnv };
  const running = t.spawn(process.execPath, [host, ...command(t)], { env });
  const [, leader] = await running.says(/started (\d+)/);
  const pids = await t.marked('server');
  assert.equal(pids.includes(Number(leader)), command === direct);
  if (starts) pids.push(...(await t.marked('grandchild')));
  if (isLeft) await running.says(/leader exited/);
  return { running, pids };
}

/** Its text is ASCII: cmd.exe reads it in the code page of the system. */
function batchFile(t, lines) {
  t.write('server.mjs', `import '${pathToFileURL(server).href}';\n`);
  return [t.write('server.cmd', lines.map((line) => `${line}\r\n`).join(''))];
}
