// Answers requests on a NATS subject, either with the same bytes or with the answer of a stdio server. The latter is
// the limit for a fleet node: each message is parsed and serialised once in each direction to replace its id, without
// other work.

import { spawn } from 'node:child_process';
import { connect } from '@nats-io/transport-node';
import { lineWriter, readLines } from '../raw/lines.mjs';

const [url, subject, serverPath] = process.argv.slice(2);
const connection = await connect({ servers: url });
connection.subscribe(subject, {
  callback: serverPath ? throughServer(serverPath) : (_error, message) => message.respond(message.data),
});
await connection.flush();
process.send('ready');
process.once('disconnect', () => process.exit());

function throughServer(path) {
  const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const write = lineWriter(child.stdin);
  const waiting = new Map();
  let lastId = 0;
  readLines(child.stdout, (line) => {
    const answer = JSON.parse(line);
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    answer.id = call.id;
    call.message.respond(JSON.stringify(answer));
  });
  return (_error, message) => {
    const request = message.json();
    waiting.set(++lastId, { id: request.id, message });
    request.id = lastId;
    write(JSON.stringify(request));
  };
}
