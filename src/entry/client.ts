// `standpipe/client`: connects to an MCP server of any revision, over a command or any transport.

export {
  type Evidence,
  PeerError,
  ProcessError,
  type ProcessIdentity,
  RpcError,
  StandpipeError,
  UsageError,
} from '../base/errors.ts';
export { connect } from '../connect/connect.ts';
export { Client, clientOf } from '../mcp/client/client.ts';
export { BoundedEraMemory, type EraMemory, type KnownEra } from '../mcp/client/opening/era-memory.ts';
export type {
  CallOptions,
  ClientChannel,
  ClientOptions,
  ElicitMode,
  InputContext,
  InputHandlers,
  ListenerOptions as NewsOptions,
  ListOptions,
  ResourceUpdate,
  SubscriptionEnd as NewsEnd,
} from '../mcp/client/options.ts';
export type { ServerFacts } from '../mcp/client/session/session.ts';
export type { AnyTools, ToolType, ToolTypes } from '../mcp/client/tool-types.ts';
export type { Warning } from '../mcp/client/warnings.ts';
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
export type { Skill, SkillResource } from '../mcp/extensions/skills/skill.ts';
export { getSkill, listSkills, readSkillFile } from '../mcp/extensions/skills/skill-reader.ts';
export type { HandleOption, SavedTask, TaskHandle } from '../mcp/extensions/tasks/task-handle.ts';
export { resumeTask } from '../mcp/extensions/tasks/tasks.ts';
export type { TaskState } from '../mcp/extensions/tasks/wire-forms.ts';
export type { ListKind } from '../mcp/methods.ts';
export type { Era, Revision } from '../mcp/revisions.ts';
export type * from '../mcp/types.ts';
export type { Progress } from '../wire/jsonrpc/conventions.ts';
export type { StopWaits } from '../wire/process/tree/stop-ladder.ts';
export type { StderrChoice } from '../wire/transport/stderr-outlet.ts';
export { type StdioClientOptions, StdioClientTransport } from '../wire/transport/stdio-client.ts';
