// Serves a LiteMCP server as an MCP server to the MCP client that starts this program:
//   node examples/litemcp/as-mcp.mjs python3 examples/litemcp/calculator.py

import { serveLiteMcpAsMcp } from 'standpipe/litemcp';

const [command = 'python3', ...args] = process.argv.slice(2);
const lost = await serveLiteMcpAsMcp({ command, args });
if (lost) {
  console.error(lost.message);
  process.exitCode = 1;
}
