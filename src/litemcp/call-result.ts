// CallResult: the arguments by name and the response. In a failed call, `error` is true and `content` describes the error for the model.

import {
  placeOf,
  readBoolean,
  readInnerVersion,
  readList,
  readObject,
  readString,
  VERSION_TEXT,
  type VersionTuple,
} from './shape.ts';
import { printValue, textOfValue } from './values.ts';

export interface CallResultResponseContent {
  /** A free-form hint, as with parameters. */
  type: string;
  data: string;
}

export interface CallResultResponse {
  content: readonly CallResultResponseContent[];
  error: boolean;
}

export interface CallResult {
  version: VersionTuple;
  params: Readonly<Record<string, string>>;
  response: CallResultResponse;
}

export function readCallResult(value: unknown, at = 'data'): CallResult {
  const result = readObject(value, at);
  return {
    version: readInnerVersion(result.version, at),
    params: readParams(result.params, `${at}.params`),
    response: readResponse(result.response, `${at}.response`),
  };
}

export function readResponse(value: unknown, at = 'response'): CallResultResponse {
  const response = readObject(value, at);
  return {
    content: readList(response.content, `${at}.content`, readContent),
    error: readBoolean(response.error, at, 'error'),
  };
}

/** `params` is the JSON text of the object. */
export function printCallResult(params: string, { content, error }: CallResultResponse): string {
  const contents = content.map(printContent).join(',');
  return `{"version":${VERSION_TEXT},"params":${params},"response":{"content":[${contents}],"error":${error}}}`;
}

export function errorResponse(message: string): CallResultResponse {
  return { content: [{ type: 'string', data: message }], error: true };
}

export function textOf(response: CallResultResponse): string {
  return response.content.map(({ data }) => data).join('\n');
}

function printContent({ type, data }: CallResultResponseContent): string {
  return `{"type":${JSON.stringify(type)},"data":${JSON.stringify(data)}}`;
}

function readContent(value: unknown, list: string, i: number): CallResultResponseContent {
  const at = placeOf(list, i);
  const content = readObject(value, at);
  return { type: readString(content.type, at, 'type'), data: readString(content.data, at, 'data') };
}

/** Any name is valid, so the object itself is returned. */
function readParams(value: unknown, at: string): Record<string, string> {
  const params = readObject(value, at);
  for (const name of Object.keys(params)) readString(params[name], at, name);
  return params as Record<string, string>;
}

/** A content whose `data` may be a value that is not text yet. */
export interface ContentValue {
  type: string;
  data: unknown;
}

/**
 * The return value of a handler. A plain value becomes one content of its type; `undefined` and `null` become an empty list. A whole
 * response lets a handler report an error with several contents.
 */
export type HandlerResult =
  | (string | number | bigint | boolean | null | undefined | object | readonly ContentValue[])
  | { content: readonly ContentValue[]; error: boolean };

/** Throws a UsageError for a value that JSON cannot represent. */
export function toResponse(result: unknown): CallResultResponse {
  if (isResponse(result)) return { content: result.content.map(textContent), error: result.error };
  return { content: toContent(result), error: false };
}

function toContent(result: unknown): CallResultResponseContent[] {
  if (result === undefined || result === null) return [];
  // An empty list is a value; only `undefined` and `null` produce an empty content list.
  if (Array.isArray(result) && result.length > 0 && result.every(isContent)) return result.map(textContent);
  return [printValue(result)];
}

function textContent({ type, data }: ContentValue): CallResultResponseContent {
  return { type, data: textOfValue(data) };
}

function isContent(value: unknown): value is ContentValue {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 2 && keys.includes('data') && typeof (value as ContentValue).type === 'string';
}

function isResponse(value: unknown): value is { content: ContentValue[]; error: boolean } {
  if (typeof value !== 'object' || value === null) return false;
  const { content, error } = value as Record<string, unknown>;
  return typeof error === 'boolean' && Array.isArray(content) && content.every(isContent);
}
