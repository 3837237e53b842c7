// `up --http`: serves the servers of the host over HTTP to clients with a token.

import { readFileSync } from 'node:fs';
import { toError } from '../../../base/errors.ts';
import { FileWatch } from '../../../config/files/watch-files.ts';
import type { Tls } from '../../../host/gateway/http/listener.ts';
import { type HttpServing, serveHttp } from '../../../host/gateway/http/serve-http.ts';
import type { Host } from '../../../host/host.ts';
import type { Telemetry } from '../../../host/telemetry/telemetry.ts';
import type { UpFleet } from '../fleet/up-fleet.ts';
import { invalidOption } from '../invocation.ts';
import type { HostAudit } from './audit-host.ts';
import { findClients } from './http-clients.ts';
import { fleetMetrics, hostMetrics, whyNotReady } from './metrics.ts';

export interface HttpOptions {
  /** `[HOST:]PORT` for MCP clients. */
  http?: string;
  /** Token file. Default: the one of `standpipe token`. */
  tokens?: string;
  /** Limit in ms for pending requests when the host stops. */
  drain?: number;
  jwtIssuer?: string;
  jwtAudience?: string;
  jwks?: string;
  jwtAnyScope?: boolean;
  tlsCert?: string;
  tlsKey?: string;
  behindProxy?: boolean;
  publicUrl?: string;
  allowOrigin?: string[];
  /** At the path of all servers. */
  tools?: 'all' | 'search';
}

interface HttpPlan {
  options: HttpOptions;
  address: HttpAddress;
  tls: TlsFiles | undefined;
}

interface HttpAddress {
  host: string | undefined;
  port: number;
}

/** Validates the options before anything starts. Undefined without --http. `isNode`: --drain also applies to a node of a fleet. */
export function readHttpOptions(options: HttpOptions, isNode = false): HttpPlan | undefined {
  const { http, tokens, drain, jwtIssuer, jwtAudience, jwks, jwtAnyScope, behindProxy, publicUrl, allowOrigin, tools } =
    options;
  const tls = tlsFiles(options.tlsCert, options.tlsKey);
  if (http !== undefined) return { options, address: readHttpAddress(http), tls };
  const ofHttp = isNode ? undefined : drain;
  const given = [
    tokens,
    ofHttp,
    jwtIssuer,
    jwtAudience,
    jwks,
    jwtAnyScope,
    tls,
    behindProxy,
    publicUrl,
    allowOrigin,
    tools,
  ];
  if (given.every((each) => each === undefined)) return undefined;
  throw invalidOption('HTTP options need --http', 'Set the address to listen on: --http 8080.');
}

/** `PORT`, `HOST:PORT` or `[::1]:PORT`. */
function readHttpAddress(text: string): HttpAddress {
  const [, host, digits] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw invalidOption(
      `"${text}" is not an address`,
      'Write a port, or a host and a port: --http 8080, --http 127.0.0.1:8080.',
    );
  }
  return { host: host?.replace(/^\[(.*)\]$/, '$1'), port };
}

export interface HostServing {
  readonly url: string;
  readonly clients: string;
  close(): Promise<void>;
}

interface Beside {
  fleet?: UpFleet | undefined;
  audit?: HostAudit | undefined;
  telemetry?: Telemetry | undefined;
}

const DEFAULT_DRAIN_MS = 10_000;

/** `ownerFile`: file of the owner's token, which is used if no other tokens are configured. */
export async function serveHost(
  host: Host,
  { options, address, tls }: HttpPlan,
  ownerFile: string,
  note: (text: string) => void,
  { fleet, audit, telemetry }: Beside = {},
): Promise<HostServing> {
  const known = (name: string | undefined) => name === undefined || host.isListed(name);
  const serviceOf = (name: string | undefined) => {
    if (name === undefined && options.tools === 'search') return host.toolSearch;
    return known(name) ? host.service(name) : undefined;
  };
  const { auth, token, clients } = findClients(options, ownerFile, note);
  const serving: HttpServing = await serveHttp(serviceOf, {
    ...address,
    auth,
    token,
    observeClient: host.clients.observe,
    shared: fleet?.sharedQuotas,
    layers: (name) => [
      ...(telemetry ? [telemetry.ofGateway(name)] : []),
      ...(audit ? [audit.layers.ofGateway(name)] : []),
    ],
    metrics: [...hostMetrics(host), ...(fleet ? fleetMetrics(fleet) : [])],
    notReady: () => fleet?.whyNotReady(host) ?? whyNotReady(host),
    notYet: (name) => (name !== undefined && known(name) ? undefined : fleet?.whyNotYet(name === undefined)),
    tls: tls && readTls(tls),
    behindProxy: options.behindProxy,
    publicUrl: options.publicUrl,
    allowedOrigins: options.allowOrigin,
  });
  const stopWatching = tls && watchTls(tls, (renewed) => serving.renewTls(renewed), note);
  return {
    url: serving.url,
    clients,
    close: () => {
      stopWatching?.();
      return serving.close({ drainMs: options.drain ?? DEFAULT_DRAIN_MS });
    },
  };
}

interface TlsFiles {
  cert: string;
  key: string;
}

function tlsFiles(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw invalidOption('--tls-cert and --tls-key must be used together', 'Give both: --tls-cert FILE --tls-key FILE.');
}

function readTls({ cert, key }: TlsFiles): Tls {
  return { cert: read(cert), key: read(key) };
}

/** Reads the files again when they change, because certificates are renewed at run time. Returns a function that stops watching. */
function watchTls(files: TlsFiles, renew: (tls: Tls) => void, note: (text: string) => void): () => void {
  const paths = [files.cert, files.key];
  const onChange = async () => {
    try {
      renew(readTls(files));
    } catch (error) {
      note(`${toError(error).message}. The certificate read earlier stays in use.`);
    }
  };
  const watching = new FileWatch(paths, paths, onChange);
  return () => watching.close();
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw invalidOption(`Cannot read ${file}: ${toError(error).message}`, undefined, error);
  }
}
