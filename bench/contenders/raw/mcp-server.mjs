// Answers every line as if it were a call of the echo tool.

import { usage } from '../usage.mjs';
import { lineWriter, readLines } from './lines.mjs';

const write = lineWriter(process.stdout);
const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'echo', version: '1.0.0' } };

readLines(process.stdin, (line) => {
  const { id, params } = JSON.parse(line);
  const text = params.name === 'usage' ? JSON.stringify(usage()) : params.arguments.text;
  const content = [{ type: 'text', text }];
  const result = params._meta ? { resultType: 'complete', content, _meta } : { content };
  write(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
