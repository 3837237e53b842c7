// Parses lines about remote servers to facts. As in parse-event.ts, input is untrusted.

import type { HttpFact, RemoteFact } from '../flow/event.ts';
import type { RawLine } from './versions.ts';

/** Writers produce shorter texts (secrets/mask-http.ts). */
const LONGEST_TEXT = 64 * 1024;
/** Limited, because facts about a server are kept as long as the server is. */
const LONGEST_FACT = 4000;

const remoteStates = ['connected', 'known', 'disconnected'] as const;
const httpStates = ['answered', 'failed', 'ended'] as const;
const bodies = ['json', 'stream', 'none', 'other'] as const;
const ends = ['complete', 'cut', 'aborted'] as const;

export function parseRemote(line: RawLine): RemoteFact | undefined {
  const state = oneOf(remoteStates, line.state);
  const texts = textsOf(line, ['transport', 'revision', 'session', 'reason'], LONGEST_FACT);
  const { url } = textsOf(line, ['url'], LONGEST_FACT);
  return state && url !== undefined ? { kind: 'remote', state, url, ...texts } : undefined;
}

export function parseHttp(line: RawLine): HttpFact | undefined {
  const state = oneOf(httpStates, line.state);
  const { exchange } = line;
  const { method, url, ...texts } = textsOf(
    line,
    ['method', 'url', 'requestHeaders', 'responseHeaders', 'reason'],
    LONGEST_TEXT,
  );
  if (!state || typeof exchange !== 'number' || method === undefined || url === undefined) return undefined;
  const [body, end] = [oneOf(bodies, line.body), oneOf(ends, line.end)];
  const numbers = numbersOf(line, ['repeats', 'status', 'waitMs']);
  return {
    kind: 'http',
    state,
    exchange,
    method,
    url,
    ...texts,
    ...numbers,
    ...(body && { body }),
    ...(end && { end }),
  };
}

function oneOf<T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((each) => each === value);
}

function textsOf<K extends string>(line: RawLine, names: readonly K[], longest: number): { [Name in K]?: string } {
  const isText = ([, value]: [K, unknown]) => typeof value === 'string' && value.length <= longest;
  return Object.fromEntries(names.map((name): [K, unknown] => [name, line[name]]).filter(isText)) as {
    [Name in K]?: string;
  };
}

function numbersOf<K extends string>(line: RawLine, names: readonly K[]): { [Name in K]?: number } {
  const known = names.filter((name) => typeof line[name] === 'number');
  return Object.fromEntries(known.map((name) => [name, line[name]])) as { [Name in K]?: number };
}
