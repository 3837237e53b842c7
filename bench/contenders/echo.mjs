// The three that echo a text over a pair of pipes. A client module exports `connect()`, which starts its server and
// resolves to `{ echo(text), serverUsage(), close() }`; `close` resolves when the server is gone.

export const echoContenders = ['raw', 'official', 'standpipe'].map((name) => ({
  name,
  load: () => import(`./${name}/client.mjs`),
}));

export const echoRatios = [
  ['standpipe', 'official'],
  ['standpipe', 'raw'],
];
