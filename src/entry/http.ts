// `standpipe/http`: serves a server, or any service, over HTTP to clients of every revision.

export { UsageError } from '../base/errors.ts';
export type { Principal, Quotas } from '../host/gateway/access/auth.ts';
export { type Auth, type AuthRefusal, type AuthRequest, anyOf } from '../host/gateway/access/auth.ts';
export { type JwtOptions, jwt } from '../host/gateway/access/jwt.ts';
export { type TokensOptions, tokens } from '../host/gateway/access/tokens.ts';
export type { ServiceByName } from '../host/gateway/http/gateways.ts';
export type { HttpGatewayOptions as HttpDoorOptions } from '../host/gateway/http/http-gateway.ts';
export {
  type HttpHandler,
  type HttpHandlerOptions,
  type HttpServing,
  httpHandler,
  type ServeHttpOptions,
  serveHttp,
  type Verified,
} from '../host/gateway/http/serve-http.ts';
export type { ClientObserver, ClientOrigin, ObserveClient, ObservedClient } from '../mcp/adapter/client-observer.ts';
export type { Interaction } from '../wire/oauth/log-in.ts';
export { LoginStore, type LoginStoreOptions } from '../wire/oauth/login-store.ts';
export { OAuthAuthorizer, type OAuthAuthorizerOptions } from '../wire/oauth/oauth-authorizer.ts';
export type { Authorizer, Refusal } from '../wire/transport/http/authorizer.ts';
export { type HttpClientOptions, HttpClientTransport } from '../wire/transport/http/http-client.ts';
