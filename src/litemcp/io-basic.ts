// IOBasic: the envelope of every message. Parsing never throws: it returns the envelope, or the reason why the text is not one. Ids are
// exact at any size: a client may use 64 bits, which JSON.parse would round.

import { DEFAULT_MAX_FRAME_VALUES, hasMoreValues } from '../base/count-json-values.ts';
import { toError } from '../base/errors.ts';
import { isObject, jsonKind } from '../base/json-object.ts';
import { idText } from '../base/to-json.ts';
import { topLevelTokens } from '../base/top-level-json.ts';
import {
  malformed,
  readObject,
  readString,
  readVersion,
  requireSameMajor,
  VERSION_TEXT,
  type VersionTuple,
} from './shape.ts';

/** A bigint if a number would not be exact. */
export type OperationId = number | bigint;

export interface IOBasic {
  version: VersionTuple;
  id: OperationId;
  /** `get`, `info`, `call` or `result`; the other end may send any text. */
  type: string;
  data: Record<string, unknown> | undefined;
}

/** Text that is not an IOBasic of our major version, with the fields that could be read. */
export class Unreadable {
  readonly problem: string;
  readonly id: OperationId | undefined;
  readonly type: string | undefined;

  constructor(problem: string, id?: OperationId, type?: string) {
    this.problem = problem;
    this.id = id;
    this.type = type;
  }

  /** Answers are never answered: two servers could answer each other without end. */
  get isAnswer(): boolean {
    return isAnswerType(this.type);
  }
}

const LONGEST_ID = 40;
const traced: ReadonlySet<string> = new Set(['id', 'type']);
const WHOLE_NUMBER = /^-?\d+$/;

export function parseIOBasic(text: string, maxFrameValues = DEFAULT_MAX_FRAME_VALUES): IOBasic | Unreadable {
  if (hasMoreValues(text, maxFrameValues)) {
    return traceIOBasic(text, `The message holds more than ${maxFrameValues} JSON values (maxFrameValues)`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return traceIOBasic(text, `Not valid JSON: ${toError(error).message.replaceAll(/\s+/g, ' ')}`);
  }
  return checkIOBasic(value, text);
}

/** `text` is the text that `value` was parsed from. */
export function checkIOBasic(value: unknown, text: string): IOBasic | Unreadable {
  if (!isObject(value)) return new Unreadable(`A message must be a JSON object, not ${jsonKind(value)}`);
  const message = value;
  const id = exactId(message.id, text);
  try {
    if (id === undefined) throw malformed(`id must be an integer, not ${jsonKind(message.id)}`);
    const version = readVersion(message.version, 'version');
    requireSameMajor(version, 'version');
    const type = readString(message.type, 'type');
    const data = message.data ?? undefined;
    return { version, id, type, data: data === undefined ? undefined : readObject(data, 'data') };
  } catch (error) {
    const type = typeof message.type === 'string' ? message.type : undefined;
    return new Unreadable(toError(error).message, id, type);
  }
}

/** Describes text that does not parse: a broken message, or its first bytes. */
export function traceIOBasic(text: string, problem: string): Unreadable {
  const tokens = topLevelTokens(text, traced);
  const type = tokens.get('type');
  return new Unreadable(problem, idOfToken(tokens.get('id')), type?.startsWith('"') ? type.slice(1, -1) : undefined);
}

/** Returns one line, because JSON escapes newlines. */
export function printIOBasic(id: OperationId, type: string, data: object): string {
  return envelope(id, type, JSON.stringify(data));
}

/** Like `printIOBasic`, for data that is already JSON text; takes half the time. */
export function envelope(id: OperationId, type: string, json: string): string {
  const text = typeof id === 'number' ? idText(id) : id;
  return `{"version":${VERSION_TEXT},"id":${text},"type":"${type}","data":${json}}`;
}

export function isAnswerType(type: string | undefined): boolean {
  return type === 'info' || type === 'result';
}

function exactId(value: unknown, text: string): OperationId | undefined {
  if (Number.isSafeInteger(value)) return value as number;
  return typeof value === 'number' ? idOfToken(topLevelTokens(text, traced).get('id')) : undefined;
}

function idOfToken(token: string | undefined): OperationId | undefined {
  if (token === undefined || token.length > LONGEST_ID || !WHOLE_NUMBER.test(token)) return undefined;
  const id = Number(token);
  return Number.isSafeInteger(id) ? id : BigInt(token);
}
