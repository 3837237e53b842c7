// `node tree-host.mjs <command> [args]`: a host with one server. It prints a line when the server runs and another when it is stopped,
// and stops it when it reads any input.
//   STRAGGLERS_MS  how long processes may run after the leader of the server has exited

import { startServerProcess } from '../../../dist/wire/process/server-process.js';

const { STRAGGLERS_MS } = process.env;
const [command, ...args] = process.argv.slice(2);
const server = await startServerProcess({
  command,
  args,
  inheritEnv: true,
  ...(STRAGGLERS_MS && { stragglersMs: Number(STRAGGLERS_MS) }),
});
server.onExit(() => console.log('leader exited'));
process.stdin.on('data', async () => console.log(`stopped by ${await server.stop()}`)).unref();
console.log(`started ${server.pid}`);
