// Connects to a server given as a command, an address or a transport, and returns a client.

import { hasAuthorization, hasCredentials } from '../base/credentials.ts';
import { UsageError } from '../base/errors.ts';
import type { Client } from '../mcp/client/client.ts';
import { openClient } from '../mcp/client/opening/open-client.ts';
import type { ClientChannel, ClientOptions } from '../mcp/client/options.ts';
import type { AnyTools, ToolTypes } from '../mcp/client/tool-types.ts';
import { defaultExtensions } from '../mcp/extensions/default-extensions.ts';
import { withDefaults } from '../mcp/extensions/extension.ts';
import type { OAuthAuthorizerOptions } from '../wire/oauth/oauth-authorizer.ts';
import { runBounded } from '../wire/process/run-bounded.ts';
import type { Authorizer } from '../wire/transport/http/authorizer.ts';
import type { HttpClientOptions, HttpClientTransport } from '../wire/transport/http/http-client.ts';
import { type StdioClientOptions, StdioClientTransport } from '../wire/transport/stdio-client.ts';

export interface AddressOptions extends HttpClientOptions {
  /** How to get a token if the server requires one. Default: OAuth, with a stored login. `false` turns authorization off. */
  auth?: Omit<OAuthAuthorizerOptions, 'url'> | false | undefined;
}

/** Starts a command as a server. The command is started again if the probe for its era killed it. */
export function connect<Tools extends ToolTypes = AnyTools>(
  command: StdioClientOptions,
  options?: ClientOptions,
): Promise<Client<StdioClientTransport, Tools>>;
/** Connects to a remote server. */
export function connect<Tools extends ToolTypes = AnyTools>(
  address: AddressOptions,
  options?: ClientOptions,
): Promise<Client<HttpClientTransport, Tools>>;
/**
 * Connects over a transport of Standpipe or of the official SDK. The transport must not be started yet, and may also be
 * given as a function that makes one.
 */
export function connect<T extends ClientChannel, Tools extends ToolTypes = AnyTools>(
  transport: T | (() => T),
  options?: ClientOptions,
): Promise<Client<T, Tools>>;
export function connect(
  target: StdioClientOptions | AddressOptions | ClientChannel | (() => ClientChannel),
  given: ClientOptions = {},
): Promise<Client> {
  // A host declares what its clients declare.
  const extensions = given.shared ? given.extensions : withDefaults(defaultExtensions, given.extensions);
  const options: ClientOptions = { runBounded, ...given, ...(extensions && { extensions }) };
  if (typeof target === 'function') return openClient({ open: target, canReopen: true, key: options.eraKey }, options);
  if (typeof target !== 'object' || target === null) {
    const command = typeof target === 'string' ? JSON.stringify(target) : "'node'";
    return Promise.reject(
      new UsageError('INVALID_OPTION', 'connect() takes a command, a url, a transport, or a function that makes one', {
        hint: `await connect({ command: ${command}, args: ['server.mjs'] })`,
      }),
    );
  }
  if ('command' in target) {
    const open = () => new StdioClientTransport(target);
    return openClient({ open, canReopen: true, key: options.eraKey ?? eraKeyOf(target) }, options);
  }
  if (!('send' in target)) return connectOverHttp(target, options);
  return openClient({ open: () => target, canReopen: false, key: options.eraKey }, options);
}

/** An HTTP server answers every request, including unknown ones, so silence means that the network or the server is slow. */
const HTTP_PROBE_TIMEOUT_MS = 3_000;

/** Loads the HTTP transport on first use. */
async function connectOverHttp(target: AddressOptions, options: ClientOptions): Promise<Client> {
  const { HttpClientTransport } = await import('../wire/transport/http/http-client.ts');
  const authorizer = target.authProvider ? undefined : (target.authorizer ?? authorizerFor(target));
  const open = () => new HttpClientTransport({ ...target, authorizer });
  const key = options.eraKey ?? String(target.url);
  return openClient({ open, canReopen: true, key }, { probeTimeoutMs: HTTP_PROBE_TIMEOUT_MS, ...options });
}

/** The environment is left out: it holds secrets and does not change which protocol era a server supports. */
export function eraKeyOf({ command, args = [], cwd }: StdioClientOptions): string {
  return JSON.stringify([command, args, cwd ?? process.cwd()]);
}

/**
 * Returns undefined if the server already has a credential or authorization is turned off. OAuth is loaded with the
 * first request.
 */
function authorizerFor({ url, headers = {}, auth = {}, ca }: AddressOptions): Authorizer | undefined {
  const hasCredential =
    hasAuthorization(Object.keys(headers)) || (URL.canParse(String(url)) && hasCredentials(new URL(url)));
  if (auth === false || hasCredential) return undefined;
  let loaded: Authorizer | undefined;
  const load = async () => {
    const { OAuthAuthorizer } = await import('../wire/oauth/oauth-authorizer.ts');
    loaded ??= new OAuthAuthorizer({ ca, ...auth, url });
    return loaded;
  };
  return {
    header: () => (loaded ? loaded.header() : load().then((authorizer) => authorizer.header())),
    refused: async (refusal) => (await load()).refused(refusal),
  };
}
