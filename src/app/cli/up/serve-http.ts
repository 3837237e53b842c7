// `up --http`: serves the servers of the host over HTTP to clients with a token.

import { UsageError } from '../../../base/errors.ts';
import { type HttpServing, serveHttp } from '../../../host/gateway/http/serve-http.ts';
import type { Host } from '../../../host/host.ts';
import { fleetMetrics } from '../fleet/fleet-metrics.ts';
import type { UpFleet } from '../fleet/up-fleet.ts';
import { hostMetrics, whyNotReady } from './host-metrics.ts';
import { findClients } from './http-clients.ts';
import { readTls, type TlsFiles, tlsFiles, watchTls } from './tls-files.ts';

/** HTTP options of `up`. */
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
}

export interface HttpPlan {
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
  const { http, tokens, drain, jwtIssuer, jwtAudience, jwks, jwtAnyScope, behindProxy, publicUrl, allowOrigin } =
    options;
  const tls = tlsFiles(options.tlsCert, options.tlsKey);
  if (http !== undefined) return { options, address: readHttpAddress(http), tls };
  const ofHttp = isNode ? undefined : drain;
  const given = [tokens, ofHttp, jwtIssuer, jwtAudience, jwks, jwtAnyScope, tls, behindProxy, publicUrl, allowOrigin];
  if (given.every((each) => each === undefined)) return undefined;
  throw new UsageError('INVALID_OPTION', 'HTTP options need --http', {
    hint: 'Set the address to listen on: --http 8080.',
  });
}

/** `PORT`, `HOST:PORT` or `[::1]:PORT`. */
function readHttpAddress(text: string): HttpAddress {
  const [, host, digits] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError('INVALID_OPTION', `"${text}" is not an address`, {
      hint: 'Write a port, or a host and a port: --http 8080, --http 127.0.0.1:8080.',
    });
  }
  return { host: host?.replace(/^\[(.*)\]$/, '$1'), port };
}

export interface HostServing {
  readonly url: string;
  /** Message that tells which tokens are accepted. */
  readonly clients: string;
  close(): Promise<void>;
}

const DEFAULT_DRAIN_MS = 10_000;

/** `ownerFile`: file of the owner's token, which is used if no other tokens are configured. */
export async function serveHost(
  host: Host,
  { options, address, tls }: HttpPlan,
  ownerFile: string,
  note: (text: string) => void,
  fleet?: UpFleet,
): Promise<HostServing> {
  const known = (name: string | undefined) => name === undefined || host.isListed(name);
  const { auth, token, clients } = findClients(options, ownerFile, note);
  const serving: HttpServing = await serveHttp((name) => (known(name) ? host.service(name) : undefined), {
    ...address,
    auth,
    token,
    observeClient: host.clients.observe,
    shared: fleet?.sharedQuotas,
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
