// `standpipe/server`: write an MCP server once, serve it to every revision.

export { RpcError, UsageError } from '../base/errors.ts';
export { serveStdio } from '../connect/serve-stdio.ts';
export { readSkills } from '../connect/skill-folder.ts';
export type { ClientAdapter as Connection } from '../mcp/adapter/client-adapter.ts';
export { type ClientAdapterOptions as FrontOptions, serve } from '../mcp/adapter/client-adapters.ts';
export { type AppView, apps } from '../mcp/extensions/apps.ts';
export type {
  ClientPart,
  DeclaredServer,
  Extension,
  ExtensionMethod,
  HostedServer,
  ResultTypeFacts,
  ServerPart,
  ToolCall,
  ToolRunner,
  UnfinishedCall,
} from '../mcp/extensions/extension.ts';
export { type SkillSource, skills } from '../mcp/extensions/skills/skills.ts';
export type { TaskRecord } from '../mcp/extensions/tasks/record.ts';
export type { TaskLimits, TaskStore } from '../mcp/extensions/tasks/store.ts';
export { type TasksOptions, tasks } from '../mcp/extensions/tasks/tasks.ts';
export type { Call, QuestionOptions } from '../mcp/server/call.ts';
export type { PromptReturn, ResourceReturn, ToolReturn } from '../mcp/server/handler-results.ts';
export type { Completer } from '../mcp/server/registry.ts';
export {
  type Declared,
  type PromptDeclaration,
  type ResourceDeclaration,
  Server,
  type ServerOptions,
  type TemplateDeclaration,
  type ToolDeclaration,
} from '../mcp/server/server.ts';
export type {
  Caller,
  ClientFacts,
  ClientFacts as ClientContext,
  Service,
  ServiceFacts,
  Watcher,
  WatchFilter,
} from '../mcp/service.ts';
export type * from '../mcp/types.ts';
export { type StdioServerOptions, StdioServerTransport } from '../wire/transport/stdio-server.ts';
