// The contenders that call a tool over HTTP on loopback: our client and `serveHttp`, and the official pair, each in
// both eras. The client and server of Node are the limit.

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

/** Pairs each Standpipe contender with the official one of the same era. */
export const httpPairs = [
  ['standpipe', 'official 2026'],
  ['standpipe 2025', 'official'],
];
