// A LiteMCP server that answers its first call and then stops reading, but keeps running.
import { LiteMcpServer, serveLiteMcp } from '../../../dist/entry/litemcp.js';

const server = new LiteMcpServer({ name: 'GoDeaf' }, () => {
  setImmediate(() => process.stdin.pause());
  return process.pid;
});
setInterval(() => undefined, 1000);
await serveLiteMcp(server);
