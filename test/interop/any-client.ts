// The interface of all clients, ours and the official ones, so that the same checks run with each.

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
  /** The received log messages. */
  readonly logs: LogMessage[];
  /** The requests that the server has sent to this client, by method. */
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
  /** Returns false if the client has no ping in this revision. */
  ping(): Promise<boolean>;
  setLogLevel(level: LogLevel): Promise<void>;
  subscribe(uri: string, onUpdate: (uri: string) => void): Promise<() => Promise<void>>;
  onListChanged(kinds: ListKind[], handler: (kind: ListKind) => void): Promise<void>;
  /** Does nothing if the client cannot send it. */
  notifyRootsChanged(): Promise<void>;
  close(): Promise<void>;
  /** The messages on the pipe so far. */
  wire(): WireRecord[];
}

/** The answers of every client to requests of the server. */
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

/** The code of an error on the wire, whichever class a client uses. */
export function codeOf(error: unknown): unknown {
  const { rpcCode, code } = error as { rpcCode?: number; code?: unknown };
  return rpcCode ?? code;
}
