// Errors for HTTP requests without an answer, and whether the request may have run: `NOT_SENT` means certainly not,
// every other code means unknown.

import { STATUS_CODES } from 'node:http';
import { type Evidence, PeerError } from '../../../base/errors.ts';
import { lostRequest } from '../../requests/lost-request.ts';

/** An HTTP response without a JSON-RPC response, such as an error status or a redirect. */
export interface Refused {
  status: number;
  /** The first characters of the body, masked. */
  text: string;
  retryAfter: string | undefined;
  /** The target of a redirect that is not followed. */
  location: string | undefined;
  /** True if a proxy sent the response before there was a connection to the server. */
  byProxy: boolean;
}

/**
 * With these statuses, the request was rejected before its message was read. 400 and 408 are missing because servers also send them for
 * unreadable data that follows a request which has already started.
 */
const turnedAway = new Set([
  300, 301, 302, 304, 307, 308, 401, 402, 403, 404, 405, 406, 407, 410, 411, 413, 414, 415, 417, 421, 426, 428, 429,
  431, 501, 505, 511,
]);

export function refusedError(method: string, refused: Refused, evidence: Evidence): PeerError {
  const { status, text, retryAfter, byProxy } = refused;
  const who = byProxy ? 'The proxy' : 'The server';
  const said = text === '' ? '' : `: ${text}`;
  const why = `${who} answered with HTTP status ${status}${named(status)}${said}`;
  const details = { evidence: { ...evidence, status }, hint: hintFor(refused) };
  if (byProxy || turnedAway.has(status) || (status === 503 && retryAfter !== undefined)) {
    return new PeerError('NOT_SENT', `${why} — ${method} did not run`, details);
  }
  return new PeerError('OUTCOME_UNKNOWN', `${why} — ${method} may have run`, details);
}

/** The connection failed. */
export function brokenError(method: string, { mayHaveArrived, closedByUs, cause, evidence }: Broken): PeerError {
  if (mayHaveArrived) return lostRequest(method, { closedByUs, cause: cutOff(cause), evidence });
  const message = `${method} was never sent: ${closedByUs ? 'the connection was closed' : explain(cause)}`;
  return new PeerError('NOT_SENT', message, { cause, evidence, hint: connectHint(cause) });
}

/** Node.js reports a cut connection as `aborted` or `socket hang up`. */
function cutOff(cause: Error): Error {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'ECONNRESET') return cause;
  return Object.assign(new Error(`The connection was cut (${cause.message})`, { cause }), { code });
}

export interface Broken {
  mayHaveArrived: boolean;
  closedByUs: boolean;
  cause: Error;
  evidence: Evidence;
}

function named(status: number): string {
  const name = STATUS_CODES[status];
  return name === undefined ? '' : ` (${name})`;
}

function hintFor({ status, retryAfter, location, byProxy }: Refused): string {
  if (byProxy) return 'Check HTTPS_PROXY and its credentials, or add the host to NO_PROXY.';
  if (retryAfter !== undefined) return `Wait as long as the server requests: Retry-After is ${retryAfter}.`;
  if (location !== undefined) {
    return `It redirects to ${location}. Redirects are followed with 307 and 308, to the same origin or to https of the same host; set the url to the new address if you trust it.`;
  }
  return hints[status] ?? 'Check whether it took effect before you send it again.';
}

const hints: Readonly<Record<number, string>> = {
  401: 'The server requires a credential: set a header such as Authorization, or log in.',
  403: 'The credential does not allow this, or the server refuses this address; check the headers.',
  404: 'Nothing is served at this address; check the path of the url.',
  405: 'The address does not take POST; check the path of the url.',
  407: 'Check HTTP_PROXY and its credentials.',
  413: 'The message is longer than the server accepts.',
  429: 'Too many requests; wait before you send it again.',
  431: 'The headers are longer than the server accepts.',
};

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  ENETUNREACH: 'the network cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
};

function explain(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : explanations[code];
  // An AggregateError (one error per address of a host) has an empty message.
  return known === undefined ? error.message || String(code) : `${known} (${error.message || code})`;
}

const certificateErrors = /CERT|SIGNED|ISSUER|ALTNAME/;

function connectHint(error: Error): string {
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  if (certificateErrors.test(code)) {
    return 'The certificate is not trusted: set `ca`, or NODE_EXTRA_CA_CERTS before the program starts.';
  }
  if (code === 'ENOTFOUND') return 'Check the host of the url.';
  return 'The request did not run; sending it again is safe.';
}
