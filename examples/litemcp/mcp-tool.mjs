// Serves one tool of an MCP server as a LiteMCP server:
//   node examples/litemcp/mcp-tool.mjs echo npx -y @modelcontextprotocol/server-everything

import { serveMcpToolAsLiteMcp } from 'standpipe/litemcp';

const [tool, command, ...args] = process.argv.slice(2);
const lost = await serveMcpToolAsLiteMcp({ tool, command, args });
if (lost) {
  console.error(lost.message);
  process.exitCode = 1;
}
