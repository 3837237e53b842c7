// The suite starts the clients of all scenarios at once. Each client connects here and waits for its turn, so that only
// as many run at a time as there are processors. A turn ends when the connection closes.

import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';

export async function giveTurns() {
  const waiting = [];
  let free = availableParallelism();
  const next = () => {
    while (free > 0 && waiting.length > 0) {
      free--;
      waiting.shift().write('go');
    }
  };
  const server = createServer((socket) => {
    waiting.push(socket);
    socket.on('error', () => socket.destroy()); // the client was killed
    socket.on('close', () => {
      const at = waiting.indexOf(socket);
      if (at >= 0) waiting.splice(at, 1);
      else free++;
      next();
    });
    next();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}
