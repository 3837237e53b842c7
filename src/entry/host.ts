// `standpipe/host`: starts, supervises, calls and stops the servers of a config.

export { PeerError, ProcessError, RpcError, StandpipeError, UsageError } from '../base/errors.ts';
export { type Config, type LoadOptions, loadConfig } from '../config/files/load-config.ts';
export type { GivenConfig, GivenServer } from '../config/given-config.ts';
export type { ConfigProblem } from '../config/problem.ts';
export type { CommandConfig, RemoteConfig, RestartLimits, ServerConfig, SharePolicy } from '../config/server-config.ts';
export { Host, type HostCallOptions, type HostOptions } from '../host/host.ts';
export type { Offer } from '../host/services/catalog.ts';
export type {
  LastExit,
  ProcessStatus,
  ServerState,
  ServerStatus,
  StateChange,
} from '../host/supervision/server-state.ts';
export type { Caller, ClientFacts, Service, ServiceFacts, Watcher, WatchFilter } from '../mcp/service.ts';
