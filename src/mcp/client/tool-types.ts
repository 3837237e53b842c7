// The types of a server's tools: `standpipe types` generates them, and `callTool` infers from them.

import type { CallToolResult } from '../types.ts';
import type { CallOptions } from './options.ts';

export interface ToolType {
  input: object;
  /** The structured content of the tool's result. */
  output: unknown;
}

export type ToolTypes = Record<string, ToolType>;

/** The default: any name, any arguments. */
export type AnyTools = Record<string, { input: Record<string, unknown>; output: unknown }>;

export type ToolName<Tools extends ToolTypes> = keyof Tools & string;

/** The arguments may be omitted if none is required. */
export type ToolArguments<Tool extends ToolType> =
  Record<never, never> extends Tool['input']
    ? [args?: Tool['input'] | undefined, options?: CallOptions | undefined]
    : [args: Tool['input'], options?: CallOptions | undefined];

export type ToolResult<Tool extends ToolType> = unknown extends Tool['output']
  ? CallToolResult
  : Omit<CallToolResult, 'structuredContent'> & { structuredContent?: Tool['output'] };
