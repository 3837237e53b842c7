// One request in a recording, with everything that happened until it was answered.

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isObject } from '../../base/json-object.ts';
import { redactor } from '../../base/secrets/redact.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Params } from '../../mcp/service.ts';
import type { LinePlace } from '../record/reader.ts';

/** The place of a message: a line of the file, and the number in a batch. */
export interface MessagePlace extends LinePlace {
  readonly part?: number;
}

/** An event during an exchange, or after it. `noise`: output of the server that is not a message. */
export interface Happening {
  readonly kind: 'progress' | 'log' | 'question' | 'round' | 'notification' | 'stderr' | 'noise';
  readonly place: MessagePlace;
  readonly atMs: number;
  /** The answer of the client: to a `question` a response, to a `round` the request that repeats the first one. */
  answer?: MessagePlace;
  /** A question about the roots of the client. */
  readonly isRoots?: true;
}

/**
 * `cut`: the request or its answer was too long to be recorded whole. `lost`: the process or the connection ended first. `refused`: answered
 * with an HTTP error. A late answer replaces every outcome but `cut`.
 */
export type RecordedOutcome = 'pending' | 'answered' | 'cut' | 'cancelled' | 'lost' | 'refused';

/** Arrays are absent while empty: a recording may have a million exchanges. */
export interface RecordedExchange {
  /** Number of the exchange among the requests of the server, from 0. */
  readonly index: number;
  /** Number of the process run or connection among those of the server, from 0. */
  readonly wire: number;
  readonly key: string;
  readonly method: string;
  /** The tool, prompt, resource or task, if the method has one. */
  readonly target: string | undefined;
  /** Undefined if the request was too long to be recorded whole. */
  readonly request: MessagePlace | undefined;
  /** Whether a placeholder may stand for a secret in the request. */
  readonly isMasked: boolean;
  readonly startMs: number;
  during?: Happening[];
  /** Events between the end of this exchange and the end of the next one, outside of other exchanges. */
  after?: Happening[];
  outcome: RecordedOutcome;
  answer?: MessagePlace;
  endMs?: number;
  exit?: RecordedExit;
  /** Status of an HTTP error. */
  status?: number;
  /** The id of the task that the answer created. */
  taskId?: string;
}

export interface RecordedExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

const LONGEST_KEY = 200;

/** The text, or a hash that stands for it. */
export function shortened(text: string): string {
  return text.length <= LONGEST_KEY ? text : createHash('sha256').update(text).digest('base64');
}

/** Equal for requests with the same method and comparable parameters. */
export function requestKey(method: string, compared: Params): string {
  return shortened(`${method} ${canonicalJson(compared)}`);
}

const redact = redactor();

/**
 * The parameters that requests are compared by. `_meta` differs between clients, `task` between revisions, and the answers to questions
 * belong to the exchange that asked them. Absent arguments equal empty ones. Secrets with a known name or form are hidden, so that a
 * request with a secret equals its recorded form.
 */
export function comparable({ _meta, task, requestState, inputResponses, ...others }: Params): Params {
  const text = JSON.stringify(others);
  const hidden = redact(text);
  const compared = hidden === text ? others : (JSON.parse(hidden) as Params);
  if (!isObject(compared.arguments) || Object.keys(compared.arguments).length > 0) return compared;
  const { arguments: _none, ...left } = compared;
  return left;
}

export function targetOf(method: string, params: Params): string | undefined {
  const parameter = methodsOfMcp.get(method)?.target?.parameter;
  const target = parameter === undefined ? undefined : params[parameter];
  return typeof target === 'string' ? target : undefined;
}

/** Connects the questions of 2026-07-28 with the request that answers them. */
export function roundOf(requestState: unknown, key: string): string {
  return typeof requestState === 'string' ? shortened(`state ${requestState}`) : key;
}
