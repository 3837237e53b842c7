// One request in a recording, with everything that happened until it was answered.

import { canonicalJson } from '../../base/canonical-json.ts';
import { shortHash } from '../../base/short-hash.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Params } from '../../mcp/service.ts';
import type { LinePlace } from '../record/reader.ts';

/** The place of a message: a line of the file, and the number in a batch. */
export interface MessagePlace extends LinePlace {
  readonly part: number;
}

/** An event during an exchange, or after it. */
export interface Happening {
  readonly kind: 'progress' | 'log' | 'question' | 'round' | 'notification' | 'stderr';
  readonly place: MessagePlace;
  readonly atMs: number;
}

/** `cut`: the answer was too long to be recorded whole. `lost`: the process ended first. */
export type RecordedOutcome = 'pending' | 'answered' | 'cut' | 'cancelled' | 'lost';

export interface RecordedExchange {
  /** Number of the exchange among the requests of the server, from 0. */
  readonly index: number;
  readonly key: string;
  readonly method: string;
  /** The tool, prompt or resource, if the method has one. */
  readonly target: string | undefined;
  readonly request: MessagePlace;
  readonly startMs: number;
  readonly during: Happening[];
  /** Events between the end of this exchange and the end of the next one, outside of other exchanges. */
  readonly after: Happening[];
  outcome: RecordedOutcome;
  answer?: MessagePlace;
  endMs?: number;
  exit?: RecordedExit;
  /** The id of the task that the answer created. */
  taskId?: string;
}

export interface RecordedExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

const LONGEST_KEY = 200;

/**
 * Returns a key that is equal for requests with the same method and parameters. `_meta` differs between clients, `task`
 * between revisions, and answers to questions are part of the exchange that asked them.
 */
export function requestKey(method: string, params: Params): string {
  const text = `${method} ${canonicalJson(comparable(params))}`;
  return text.length <= LONGEST_KEY ? text : `${method} ${shortHash(text)}`;
}

/** The parameters that requests are compared by. */
export function comparable({ _meta, task, requestState, inputResponses, ...others }: Params): Params {
  return others;
}

export function targetOf(method: string, params: Params): string | undefined {
  const parameter = methodsOfMcp.get(method)?.target?.parameter;
  const target = parameter === undefined ? undefined : params[parameter];
  return typeof target === 'string' ? target : undefined;
}

/** Connects the questions of 2026-07-28 with the request that answers them. */
export function roundOf(requestState: unknown, key: string): string {
  return typeof requestState === 'string' ? `state ${requestState}` : key;
}
