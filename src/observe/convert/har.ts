// A recording as a HAR 1.2 archive. An HTTP request is an entry with its own URL and headers. A request over stdio is an entry with a URL of
// the scheme `stdio`, its message as body, and the message of the answer as response.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type { FlowStamp, HttpFact } from '../flow/event.ts';
import type { SelectedExchange, Selection } from './selection.ts';

interface Header {
  name: string;
  value: string;
}

export function asHar({ events, exchanges }: Selection): object {
  const https = new Map<string, HttpFact & FlowStamp>();
  for (const { event } of events) {
    if (event.kind === 'http' && event.state !== 'ended')
      https.set(`${event.server} ${event.life} ${event.exchange}`, event);
  }
  const entries = exchanges
    .toSorted((one, other) => one.startDateMs - other.startDateMs)
    .map((selected) => {
      const { server, life, http } = selected.exchange;
      return entryOf(selected, https.get(`${server} ${life} ${http}`));
    });
  return { log: { version: '1.2', creator: { name: 'standpipe', version: ownInfo.version }, entries } };
}

function entryOf(
  { exchange, request, answer, startDateMs, endDateMs }: SelectedExchange,
  http: (HttpFact & FlowStamp) | undefined,
): object {
  const { server, method, outcome, error } = exchange;
  const sent = JSON.stringify(request);
  const received = answer === undefined ? '' : JSON.stringify(answer);
  const timeMs = endDateMs === undefined ? 0 : round(endDateMs - startDateMs);
  const common = { httpVersion: http ? 'HTTP/1.1' : 'stdio', cookies: [], headersSize: -1 };
  return {
    startedDateTime: new Date(startDateMs).toISOString(),
    time: timeMs,
    request: {
      ...common,
      method: http?.method ?? 'POST',
      url:
        http?.url ??
        `stdio://${encoded(server)}/${[method, targetOf(method, request)]
          .filter(Boolean)
          .map((part) => encoded(part!))
          .join('/')}`,
      headers: headersOf(http?.requestHeaders),
      queryString: [],
      bodySize: Buffer.byteLength(sent),
      postData: { mimeType: 'application/json', text: sent },
    },
    response: {
      ...common,
      status: http?.status ?? (answer === undefined ? 0 : 200),
      statusText: error ? `error ${error.code}` : outcome,
      headers: headersOf(http?.responseHeaders),
      content: { size: Buffer.byteLength(received), mimeType: 'application/json', text: received },
      redirectURL: '',
      bodySize: Buffer.byteLength(received),
    },
    cache: {},
    timings: { send: 0, wait: timeMs, receive: 0 },
    comment: `${server}, run ${exchange.life}: ${outcome}`,
  };
}

function targetOf(method: string, { params }: JsonObject): string | undefined {
  const parameter = methodsOfMcp.get(method)?.target?.parameter;
  const value = parameter !== undefined && isObject(params) ? params[parameter] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Half of a surrogate pair cannot be encoded; UTF-8 has U+FFFD in its place. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function headersOf(lines: string | undefined): Header[] {
  return (lines ?? '').split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    return at <= 0 ? [] : [{ name: line.slice(0, at), value: line.slice(at + 1).trim() }];
  });
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
