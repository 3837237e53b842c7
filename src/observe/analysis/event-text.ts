// Formats events as one line of text for the Inspector and the command line.

import type { ClientFact, FlowFact, HopFact, HttpFact, RemoteFact } from '../flow/event.ts';

/** Does not redact texts from peers or users. */
export function eventText(fact: Exclude<FlowFact, { kind: 'frame' | 'stderr' }>): string {
  switch (fact.kind) {
    case 'fault':
      return `${fact.code}: ${fact.length} bytes at byte ${fact.offset}`;
    case 'spawn':
      return `started as process ${fact.pid}: ${fact.command}`;
    case 'state':
      return fact.reason ? `${fact.to} (${fact.reason})` : fact.to;
    case 'signal':
      return `received ${fact.signal}`;
    case 'exit':
      return fact.signal ? `ended by ${fact.signal}` : `exited with code ${fact.exitCode}`;
    case 'stop':
      return `all processes of the server have exited (${fact.rung})`;
    case 'error':
      return `${fact.code}: ${fact.message}`;
    case 'note':
      return fact.text;
    case 'client':
      return clientText(fact);
    case 'link':
      return `request ${JSON.stringify(fact.request)} led to request ${JSON.stringify(fact.id)} of ${fact.wire} (run ${fact.wireLife})`;
    case 'remote':
      return remoteText(fact);
    case 'http':
      return httpText(fact);
    case 'hop':
      return hopText(fact);
  }
}

function remoteText({ state, url, transport, revision, session, reason }: RemoteFact): string {
  if (state === 'connected') return `connecting to ${url}`;
  if (state === 'disconnected') return reason ? `connection lost: ${reason} (${url})` : `connection closed (${url})`;
  const name = transport === 'http+sse' ? 'HTTP+SSE' : transport && 'Streamable HTTP';
  return [name, revision, session && `session ${session}`, url].filter(Boolean).join(', ');
}

const bodyWords = { json: 'JSON', stream: 'event stream', none: 'no body', other: 'neither JSON nor event stream' };
const endWords = { complete: 'complete', cut: 'cut off', aborted: 'closed by this side' };

function httpText({ state, exchange, method, url, status, waitMs, body, end, reason, repeats }: HttpFact): string {
  const head = `#${exchange} ${method}`;
  const why = reason ? `: ${reason}` : '';
  if (state === 'ended') return `${head} ${endWords[end ?? 'complete']}${why}`;
  const again = repeats === undefined ? '' : `, repeats #${repeats}`;
  if (state === 'failed')
    return `${head} no response${end === 'aborted' ? ', closed by this side' : why}${again}, ${url}`;
  const answer = [status, body && bodyWords[body]].filter(Boolean).join(' ');
  return `${head} ${answer} after ${Math.round(waitMs ?? 0)} ms${again}, ${url}`;
}

function hopText({ id, node, generation, pid, receivedMs, answeredMs }: HopFact): string {
  const where = [`node ${node}`, pid && `process ${pid}`, generation && `generation ${generation}`];
  return `request ${JSON.stringify(id)} was answered by ${where.filter(Boolean).join(', ')} in ${answeredMs - receivedMs} ms`;
}

function clientText({ state, door, principal, name, version, revision }: ClientFact): string {
  const who = [name, version, revision && `(${revision})`].filter(Boolean).join(' ');
  const where = [`over ${door}`, principal && `as ${principal}`].filter(Boolean).join(' ');
  if (state === 'closed') return `disconnected${who && `: ${who}`} ${where}`;
  return state === 'opened' ? `connected ${where}${who && `: ${who}`}` : `is ${who || 'unnamed'}, connected ${where}`;
}
