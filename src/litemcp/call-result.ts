// CallResult: the arguments by name and the response. The shape is the same whether the call went well or not; `error`
// alone tells, and what went wrong stands in `content` for the model to read.

import { placeOf, readBoolean, readList, readObject, readString } from './shape.ts';
import { readInnerVersion, VERSION_TEXT, type VersionTuple } from './version.ts';

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

/** `params`: the text of the object. */
export function printCallResult(params: string, { content, error }: CallResultResponse): string {
  const contents = content.map(printContent).join(',');
  return `{"version":${VERSION_TEXT},"params":${params},"response":{"content":[${contents}],"error":${error}}}`;
}

/** What went wrong, in words, as the response that says so. */
export function errorResponse(message: string): CallResultResponse {
  return { content: [{ type: 'string', data: message }], error: true };
}

/** All of the content as one text. */
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

/** Whatever its names are, they belong there: the object itself is taken. */
function readParams(value: unknown, at: string): Record<string, string> {
  const params = readObject(value, at);
  for (const name of Object.keys(params)) readString(params[name], at, name);
  return params as Record<string, string>;
}
