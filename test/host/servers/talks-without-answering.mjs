// Repeatedly sends messages that need no request, and answers nothing: progress for the first ids of a client, log
// messages, pings and questions. With `litemcp`: answers to unused ids.

const lite = process.argv[2] === 'litemcp';
const write = (message) => process.stdout.write(`${JSON.stringify(message)}${lite ? '\n\n' : '\n'}`);
let turn = 0;

setInterval(() => {
  turn++;
  if (lite) return write({ type: 'response', id: `x${turn}`, content: 'still starting' });
  for (const progressToken of [1, 2, 3, 4]) {
    write({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: turn } });
  }
  write({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'still starting' } });
  write({ jsonrpc: '2.0', id: `ping ${turn}`, method: 'ping' });
  write({ jsonrpc: '2.0', id: `roots ${turn}`, method: 'roots/list' });
}, 20);
process.stdin.resume().on('end', () => process.exit());
