// Those that call a tool over HTTP on loopback: our client and `serveHttp`, the official pair, each as it comes and in the other
// era, and Node's own client and server, which are the limit.

import { clientFrom } from './client-from.mjs';

export const httpContenders = [
  { name: 'raw', load: clientFrom('http/raw-client') },
  { name: 'official', load: clientFrom('http/official-client') },
  { name: 'official 2026', load: clientFrom('http/official-client', { modern: true }) },
  { name: 'standpipe 2025', load: clientFrom('http/our-client', { era: 'legacy' }) },
  { name: 'standpipe', load: clientFrom('http/our-client') },
];

export const httpRatios = [
  ['standpipe', 'official'],
  ['standpipe', 'official 2026'],
  ['standpipe 2025', 'official'],
  ['standpipe', 'raw'],
];

/** Of each of ours, the official one of the same era. */
export const httpPairs = [
  ['standpipe', 'official 2026'],
  ['standpipe 2025', 'official'],
];
