// What can be done with a host, whether it runs in this process or in another one, reached through its socket.

import type { ConfigProblem } from '../config/problem.ts';
import type { Warning } from '../mcp/client/warnings.ts';
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../mcp/types.ts';
import type { Offer } from './catalog.ts';
import type { ServerStatus } from './server-state.ts';

export interface CallSettings {
  timeoutMs?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
  repeatable?: boolean;
}

export interface HostAbout {
  pid: number;
  lastSeq: number;
}

export interface HostApi {
  status(): ServerStatus[] | Promise<ServerStatus[]>;
  /** Why entries of the config cannot be run, one problem for each. */
  rejected(): ConfigProblem[] | Promise<ConfigProblem[]>;
  tools(options?: { start?: boolean }): Promise<{ tools: Offer<Tool>[]; failed: { server: string; error: Error }[] }>;
  listTools(server: string): Promise<Tool[]>;
  listResources(server: string): Promise<{ resources: Resource[]; resourceTemplates: ResourceTemplate[] }>;
  listPrompts(server: string): Promise<Prompt[]>;
  callTool(
    server: string,
    tool: string,
    args?: Record<string, unknown>,
    settings?: CallSettings,
  ): Promise<CallToolResult>;
  readResource(server: string, uri: string, settings?: CallSettings): Promise<ReadResourceResult>;
  getPrompt(
    server: string,
    name: string,
    args?: Record<string, string>,
    settings?: CallSettings,
  ): Promise<GetPromptResult>;
  /** How the last process of a server broke the protocol, and how that was read: once for each kind. */
  warnings(server: string): readonly Warning[] | Promise<readonly Warning[]>;
  /** Which process it is, and the number of the last event of its flow. */
  about(): HostAbout | Promise<HostAbout>;
  /** What a server wrote to stderr after an event, its last 64 KB; waits a moment for what is under way. */
  stderrSince(server: string, seq: number): Promise<string>;
  startServer(name: string): Promise<void>;
  stopServer(name: string): Promise<void>;
  restartServer(name: string): Promise<void>;
}
