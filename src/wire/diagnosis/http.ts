// Finds the reason why a remote server did not answer the first request, if its response or the connection error proves it.

import { isLoopbackUrl } from '../../base/credentials.ts';
import { ownCommand } from '../../base/own-command.ts';
import { quoted } from './rule.ts';
import type { Diagnosis, SymptomFinding } from './symptoms.ts';

/** The parts of the address that are not secret. */
export interface Address {
  /** The protocol, for example `https:`. */
  protocol: string;
  /** The host name with the port. */
  host: string;
  hostname: string;
  pathname: string;
}

/** The last exchange of a client that could not connect. Plain data. */
export interface HttpSymptoms {
  url: Address;
  /** The code of the error that prevented a response, such as `ECONNREFUSED`. */
  errorCode?: string | undefined;
  errorMessage?: string | undefined;
  status?: number | undefined;
  contentType?: string | undefined;
  /** The first characters of the response. */
  body?: string | undefined;
  /** The target of a redirect, without credentials. */
  location?: string | undefined;
  /** True if the response is from a proxy that did not reach the server. */
  byProxy?: boolean | undefined;
}

interface HttpRule {
  /** A heading of docs/troubleshooting.md. */
  name: string;
  find(symptoms: HttpSymptoms, url: Address): SymptomFinding | undefined;
}

/** A rule for error codes of a connection. */
function failed(name: string, codes: RegExp, tell: (url: Address, symptoms: HttpSymptoms) => SymptomFinding): HttpRule {
  return { name, find: (symptoms, url) => (codes.test(symptoms.errorCode ?? '') ? tell(url, symptoms) : undefined) };
}

function answered(
  name: string,
  statuses: readonly number[],
  tell: (status: number, url: Address, symptoms: HttpSymptoms) => SymptomFinding,
): HttpRule {
  return {
    name,
    find: (symptoms, url) => {
      const { status = 0, byProxy } = symptoms;
      if (byProxy || !statuses.includes(status)) return undefined;
      const { problem, fix } = tell(status, url, symptoms);
      return { problem: `${problem}${said(symptoms)}`, fix };
    },
  };
}

/** The message of a refusal, if it is a short text. */
function said({ contentType = '', body = '' }: HttpSymptoms): string {
  if (!/json|text\/plain/.test(contentType) || body.trim() === '') return '';
  const message = /"(?:message|error_description|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  return `: ${quoted(message ?? body)}`;
}

const isHtml = ({ contentType = '', body = '' }: HttpSymptoms) =>
  /html/.test(contentType) || /^\s*<(?:!doctype|html)/i.test(body);

/** Replies of servers that require TLS and got plain HTTP. */
const wantsTls = /HTTPS? (?:port|server)|HTTPS required|SSL is required|use https/i;

export const httpRules: readonly HttpRule[] = [
  {
    name: 'proxy-refused',
    find: ({ byProxy, status }) =>
      byProxy
        ? {
            problem: `cannot be reached: the proxy refused the connection${status === undefined ? '' : ` with HTTP status ${status}`}`,
            fix: 'Check HTTPS_PROXY and its credentials, or add the host to NO_PROXY.',
          }
        : undefined,
  },
  failed('connection-refused', /^ECONNREFUSED$/, ({ host, hostname }) => ({
    problem: `does not accept connections: nothing listens at ${host}`,
    fix: `Start it, or correct host and port of its url.${isLoopbackUrl({ hostname }) ? ' In a container, localhost is the container itself.' : ''}`,
  })),
  failed('unknown-host', /^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, ({ hostname }) => ({
    problem: `has no address: the name ${hostname} cannot be looked up`,
    fix: 'Correct the host of its url, or check the network and the VPN.',
  })),
  failed('no-route', /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN)$/, ({ host }) => ({
    problem: `cannot be reached at ${host}: no connection was made`,
    fix: 'Check the network, the VPN and the firewall. Where a proxy is needed, set HTTPS_PROXY.',
  })),
  {
    name: 'no-tls',
    find: ({ errorMessage = '' }, { protocol }) =>
      protocol === 'https:' && /wrong version number|packet length too long|http request/i.test(errorMessage)
        ? { problem: 'does not use TLS at this port', fix: 'Write http:// in its url, or use the port for https.' }
        : undefined,
  },
  {
    name: 'needs-tls',
    find: ({ status = 0, body = '' }, { protocol }) =>
      protocol === 'http:' && status >= 400 && wantsTls.test(body)
        ? { problem: 'uses TLS at this port', fix: 'Write https:// in its url.' }
        : undefined,
  },
  failed('certificate-not-trusted', /SELF_SIGNED|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED/, () => ({
    problem: 'has a certificate that is not trusted (self-signed, or of an authority that is not known)',
    fix: 'Set "ca" in its entry to the file of the authority in PEM, or NODE_EXTRA_CA_CERTS before the program starts.',
  })),
  failed('certificate-of-another-host', /ALTNAME/, ({ hostname }) => ({
    problem: `has a certificate that is not for ${hostname}`,
    fix: 'Use a name in its url that the certificate has, or get a certificate for this name.',
  })),
  failed('certificate-expired', /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, (_url, { errorCode }) => ({
    problem: `has a certificate that is ${errorCode === 'CERT_HAS_EXPIRED' ? 'expired' : 'not valid yet'}`,
    fix: 'Renew the certificate of the server; check the clock of this machine.',
  })),
  failed('no-response', /^(?:ECONNRESET|EPIPE|ECONNABORTED)$/, ({ protocol, host }) => ({
    problem: `closes the connection without an answer at ${host}`,
    fix:
      protocol === 'http:'
        ? 'If it uses TLS, write https:// in its url. Otherwise check the port.'
        : 'Check the port of its url.',
  })),
  failed('not-http', /^HPE_/, ({ host }) => ({
    problem: `does not use HTTP at ${host}: another protocol answers`,
    fix: 'Correct the port of its url.',
  })),
  answered('credential-refused', [401, 403], (status) => ({
    problem: `refuses access with HTTP status ${status}`,
    fix: `Check the header "Authorization": the token may be missing, expired, or for another server. If the server uses OAuth, leave the header out and run \`${ownCommand} login\`.`,
  })),
  {
    name: 'page-instead-of-mcp',
    find: (symptoms) =>
      isHtml(symptoms) && (symptoms.status ?? 200) < 400
        ? {
            problem: 'answers with a web page (HTML)',
            fix: 'Correct the path of its url (often /mcp), or check whether a login page or a proxy answers in its place.',
          }
        : undefined,
  },
  answered('wrong-path', [404, 405, 410], (status, { pathname }) => ({
    problem: `has no MCP endpoint at ${pathname} (HTTP status ${status})`,
    fix: /\/sse\/?$/.test(pathname)
      ? 'Correct the path of its url. If it is a server of 2024-11-05, its transport is HTTP+SSE: "type": "sse" in its entry, or --transport sse.'
      : 'Correct the path of its url: often /mcp, or /sse for servers of 2024-11-05.',
  })),
  answered('moved', [301, 302, 303, 307, 308], (status, _url, { location }) => ({
    problem: `redirects to ${location ?? 'another address'} (HTTP status ${status})`,
    fix: `Write ${location ?? 'the new address'} in its url, if you trust it. A redirect to another origin is not followed.`,
  })),
  answered('server-error', [500, 502, 503, 504], (status) => ({
    problem: `is not available: HTTP status ${status}${status === 500 ? '' : ' of the server or of a proxy in front of it'}`,
    fix: 'The log of the server shows the reason. A running host retries automatically.',
  })),
  answered('too-many-requests', [429], () => ({
    problem: 'refuses more requests for now (HTTP status 429)',
    fix: 'Wait, and use fewer clients or calls at a time.',
  })),
  {
    name: 'not-mcp',
    find: ({ status, contentType = '', body = '' }) =>
      status !== undefined && status < 300 && body !== '' && !/"jsonrpc"/.test(body)
        ? {
            problem: `answers with ${contentType || 'something'} that is not an MCP message`,
            fix: 'Correct its url: another API is served there.',
          }
        : undefined,
  },
];

export function diagnoseHttp(symptoms: HttpSymptoms): Diagnosis | undefined {
  for (const { name, find } of httpRules) {
    const finding = find(symptoms, symptoms.url);
    if (finding) return { name, isFinal: true, ...finding };
  }
  return undefined;
}
