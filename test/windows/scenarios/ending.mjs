// All processes of a server end, whatever its tree is: after `down`, and after the host was killed.

import { group } from '../scenario.mjs';

/**
 * Process trees by name: the entry of the server, and the marks of the processes that must end. process-trees.mjs tests more trees,
 * without the command line.
 */
const trees = {
  'a child that ignores the end of stdin': (t) => ({ entry: ignoring(t), marks: ['server'] }),
  'a child behind a .cmd': (t) => ({ entry: behindBatch(t), marks: ['server'] }),
  'a detached grandchild': (t) => ({ entry: ignoring(t, { STARTS: 'detached' }), marks: ['server', 'grandchild'] }),
};

const ignoring = (t, env) => t.serverEntry({ IGNORES_EOF: '1', ...env });

/** A batch file that is not a shim of npm: cmd.exe stays between host and server. */
function behindBatch(t) {
  return { command: t.batchFile('bin\\server.cmd'), env: ignoring(t).env };
}

async function startTree(t, tree) {
  const { entry, marks } = tree(t);
  const config = t.config({ it: entry });
  const host = await t.host(config);
  const pids = [];
  for (const mark of marks) pids.push(...(await t.marked(mark)));
  return { host, config, pids };
}

const scenarios = {};
for (const [name, tree] of Object.entries(trees)) {
  scenarios[`down ends ${name}`] = async (t) => {
    const { host, config, pids } = await startTree(t, tree);
    await t.succeed(['down', '--config', config]);
    await host.closed;
    await t.untilGone(pids);
  };
}
for (const [name, tree] of Object.entries(trees)) {
  scenarios[`a killed host leaves no process of ${name}`] = async (t) => {
    const { host, pids } = await startTree(t, tree);
    host.kill();
    await host.closed;
    await t.untilGone(pids);
  };
}
scenarios['a killed command leaves no process of its server'] = async (t) => {
  const { MARKS } = t.serverEntry().env;
  const options = ['--env', `MARKS=${MARKS}`, '--env', 'IGNORES_EOF=1'];
  const inspector = t.start(['inspect', '--no-open', ...options, '--', ...t.server()]);
  const pids = await t.marked('server');
  inspector.kill();
  await t.untilGone(pids);
};

export default group('Ending', scenarios);
