// `standpipe/http`: serves a server, or any service, over HTTP to clients of every revision.

export { UsageError } from '../base/errors.ts';
export { type Auth, type AuthRefusal, type AuthRequest, anyOf } from '../doors/access/auth.ts';
export { type JwtOptions, jwt } from '../doors/access/jwt.ts';
export { type TokensOptions, tokens } from '../doors/access/tokens.ts';
export type { HttpDoorOptions } from '../doors/http/door-options.ts';
export type { ServiceByName } from '../doors/http/doors.ts';
export { type HttpHandler, type HttpHandlerOptions, httpHandler, type Verified } from '../doors/http/http-handler.ts';
export { type HttpServing, type ServeHttpOptions, serveHttp } from '../doors/http/serve-http.ts';
export type { Principal, Quotas } from '../doors/principal.ts';
export type { ClientObserver, ClientOrigin, ObserveClient, ObservedClient } from '../mcp/front/client-observer.ts';
export type { Interaction } from '../oauth/log-in.ts';
export { LoginStore, type LoginStoreOptions } from '../oauth/login-store.ts';
export { OAuthAuthorizer, type OAuthAuthorizerOptions } from '../oauth/oauth-authorizer.ts';
export type { Authorizer, Refusal } from '../transport/http/authorizer.ts';
export { type HttpClientOptions, HttpClientTransport } from '../transport/http/http-client.ts';
