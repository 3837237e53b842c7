// CallResult: the arguments by name and the response. The shape is the same whether the call went well or not; `error`
// alone tells, and what went wrong stands in `content` for the model to read.

import { placeOf, readBoolean, readList, readObject, readString, setOwn } from './shape.ts';
import { PROTOCOL_VERSION, readInnerVersion, type VersionTuple } from './version.ts';

export interface CallResultResponseContent {
  /** A hint in free words, as with parameters. */
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

export function makeCallResult(params: CallResult['params'], response: CallResultResponse): CallResult {
  return { version: PROTOCOL_VERSION, params, response };
}

/** What went wrong, in words, as the response that says so. */
export function errorResponse(message: string): CallResultResponse {
  return { content: [{ type: 'string', data: message }], error: true };
}

/** All of the content as one text. */
export function textOf(response: CallResultResponse): string {
  return response.content.map(({ data }) => data).join('\n');
}

function readContent(value: unknown, list: string, i: number): CallResultResponseContent {
  const at = placeOf(list, i);
  const content = readObject(value, at);
  return { type: readString(content.type, at, 'type'), data: readString(content.data, at, 'data') };
}

function readParams(value: unknown, at: string): Record<string, string> {
  const from = readObject(value, at);
  const params: Record<string, string> = {};
  for (const name of Object.keys(from)) setOwn(params, name, readString(from[name], at, name));
  return params;
}
