// A LiteMCP server that answers its first call and reads nothing afterwards. It lives on.
import { LiteMcpServer, serveLiteMcp } from '../../../dist/entry/litemcp.js';

const server = new LiteMcpServer({ name: 'GoDeaf' }, () => {
  setImmediate(() => process.stdin.pause());
  return process.pid;
});
setInterval(() => undefined, 1000);
await serveLiteMcp(server);
