// `standpipe/check`: tests servers and clients against the rules of their protocol.

export { type CheckClientOptions, checkClient } from '../check/client/check-client.ts';
export type { CheckReport, EvidenceLine, Outcome, Status } from '../check/report/report.ts';
export type { NamedCall } from '../check/server/calls.ts';
export { type CheckServerOptions, checkServer } from '../check/server/check-server.ts';
