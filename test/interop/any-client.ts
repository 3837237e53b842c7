// What every client can do, ours and the official ones, so that the same checks run with each.

import type {
  CallToolResult,
  Completion,
  CompletionReference,
  ElicitParams,
  ElicitResult,
  GetPromptResult,
  LogLevel,
  LogMessage,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Root,
  SampleResult,
  ServerCapabilities,
  Tool,
} from '../../src/mcp/types.ts';
import type { WireRecord } from './wire-record.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';

export interface AnyCallOptions {
  onProgress?: (progress: number) => void;
  signal?: AbortSignal;
}

export interface AnyClient {
  readonly revision: string;
  readonly name: string;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** The log messages that came. */
  readonly logs: LogMessage[];
  /** The requests that the server has made of this client, by method. */
  readonly asked: string[];
  listTools(): Promise<Tool[]>;
  listResources(): Promise<Resource[]>;
  listResourceTemplates(): Promise<ResourceTemplate[]>;
  listPrompts(): Promise<Prompt[]>;
  callTool(name: string, args?: Record<string, unknown>, options?: AnyCallOptions): Promise<CallToolResult>;
  readResource(uri: string): Promise<ReadResourceResult>;
  getPrompt(name: string, args?: Record<string, string>): Promise<GetPromptResult>;
  complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    context?: Record<string, string>,
  ): Promise<Completion>;
  /** False where the client has no such thing in this revision. */
  ping(): Promise<boolean>;
  setLogLevel(level: LogLevel): Promise<void>;
  subscribe(uri: string, onUpdate: (uri: string) => void): Promise<() => Promise<void>>;
  onListChanged(kinds: ListKind[], handler: (kind: ListKind) => void): Promise<void>;
  /** Where the client has a way to say it. */
  notifyRootsChanged(): Promise<void>;
  close(): Promise<void>;
  /** What went over the pipe until now. */
  wire(): WireRecord[];
}

/** How every client answers what it is asked. */
export function answers(roots: Root[], asked: string[]) {
  return {
    elicit(params: ElicitParams): ElicitResult {
      asked.push(params.mode === 'url' ? 'elicitation/create by page' : 'elicitation/create');
      if (params.mode === 'url') return { action: 'accept' };
      const { properties } = params.requestedSchema;
      return { action: 'accept', content: 'colour' in properties ? { colour: 'blue' } : { name: 'Ada' } };
    },
    sample(): SampleResult {
      asked.push('sampling/createMessage');
      return { role: 'assistant', content: { type: 'text', text: 'something' }, model: 'none' };
    },
    roots(): Root[] {
      asked.push('roots/list');
      return roots;
    },
  };
}

/** The number that an error carries over the wire, in whichever class a client puts it. */
export function codeOf(error: unknown): unknown {
  const { rpcCode, code } = error as { rpcCode?: number; code?: unknown };
  return rpcCode ?? code;
}
