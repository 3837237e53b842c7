// `standpipe/http`: serves a server, or any service, over HTTP to clients of every revision.

export { UsageError } from '../base/errors.ts';
export type { HttpDoorOptions } from '../doors/http/http-door.ts';
export {
  type HttpHandler,
  type HttpServing,
  httpHandler,
  type ServeHttpOptions,
  type ServiceByName,
  serveHttp,
} from '../doors/http/serve-http.ts';
