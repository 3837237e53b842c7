// The three contenders that echo a text over a pair of pipes. A client module exports `connect()`, which starts its
// server and resolves to `{ echo(text), serverUsage(), close() }`; `close` resolves after the server has exited.

import { clientFrom } from './client-from.mjs';

export const echoContenders = ['raw', 'official', 'standpipe'].map((name) => ({
  name,
  load: clientFrom(`${name}/client`),
}));

export const echoRatios = [
  ['standpipe', 'official'],
  ['standpipe', 'raw'],
];
