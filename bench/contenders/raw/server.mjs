// Answers every line, without checks and without a protocol: the practical limit of Node over pipes.

import { usage } from '../usage.mjs';
import { lineWriter, readLines } from './lines.mjs';

const write = lineWriter(process.stdout);

readLines(process.stdin, (line) => {
  const { id, method, params } = JSON.parse(line);
  write(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'usage' ? usage() : params }));
});
