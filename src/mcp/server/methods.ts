// Implements the methods of a declared server. Results have the form of the newest revision; the client adapter
// converts them for others.

import { RpcError, toError } from '../../base/errors.ts';
import { invalidParams, resourceNotFound } from '../protocol-errors.ts';
import type { Revision } from '../revisions.ts';
import type { Caller, Params, Result } from '../service.ts';
import type { CallToolResult, CompletionReference, GetPromptResult, ReadResourceResult } from '../types.ts';
import { Call } from './call.ts';
import { toContents, toolError, toPromptResult, toToolResult } from './handler-results.ts';
import type { Catalog, Completer, Registry, ToolEntry } from './registry.ts';
import type { Checked } from './schema.ts';

interface Page<T> {
  items: readonly T[];
  nextCursor: string | undefined;
}
const CURSOR = /^after:(\d{1,9})$/;

/** Since 2025-11-25 invalid arguments are a tool error that the model sees; before, they were a protocol error. */
const INVALID_ARGUMENTS_ARE_TOOL_ERRORS: Revision = '2025-11-25';

export function listPage<D>(
  catalog: Pick<Catalog<never, D>, 'definitions'>,
  key: string,
  params: Params,
  pageSize: number,
): Result {
  const { items, nextCursor } = page(catalog.definitions(), params.cursor, pageSize);
  return nextCursor === undefined ? { [key]: items } : { [key]: items, nextCursor };
}

/** Returns synchronously if the tool does: a promise is created only by a handler or a check that needs one. */
export function callTool(registry: Registry, params: Params, caller: Caller): CallToolResult | Promise<CallToolResult> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string') throw invalidParams('tools/call needs the "name" of a tool');
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw invalidParams('"arguments" of tools/call must be an object');
  }
  const tool = registry.tools.get(name);
  if (!tool) throw invalidParams(`Unknown tool: ${name}`);
  const checked = tool.input?.check(args) ?? { value: args };
  return checked instanceof Promise
    ? checked.then((settled) => runChecked(tool, settled, params, caller))
    : runChecked(tool, checked, params, caller);
}

function runChecked(
  tool: ToolEntry,
  checked: Checked,
  params: Params,
  caller: Caller,
): CallToolResult | Promise<CallToolResult> {
  if (checked.problem !== undefined) {
    const words = `Invalid arguments for tool ${tool.definition.name}: ${checked.problem}`;
    if (caller.client.revision < INVALID_ARGUMENTS_ARE_TOOL_ERRORS) throw invalidParams(words);
    return toolError(words);
  }
  let returned: unknown;
  try {
    returned = tool.run(checked.value as never, new Call(caller, params));
  } catch (error) {
    return failed(error);
  }
  return returned instanceof Promise
    ? returned.then(tool.output ? (value) => finished(tool, value) : withoutSchema, failed)
    : finished(tool, returned);
}

/** One function for all calls, so that a call that waits for its handler does not keep a closure in memory. */
function withoutSchema(returned: unknown): CallToolResult {
  return toToolResult(returned, false);
}

function finished(tool: ToolEntry, returned: unknown): CallToolResult | Promise<CallToolResult> {
  const result = toToolResult(returned, tool.output !== undefined);
  if (!tool.output || result.isError) return result;
  const checked = tool.output.check(result.structuredContent);
  const check = ({ problem }: Checked): CallToolResult =>
    problem === undefined
      ? result
      : toolError(`Tool ${tool.definition.name} returned a result that does not match its output schema: ${problem}`);
  return checked instanceof Promise ? checked.then(check) : check(checked);
}

/** An RpcError becomes a protocol error. Other errors become a tool error for the model, without the stack. */
function failed(error: unknown): CallToolResult {
  if (error instanceof RpcError) throw error;
  return toolError(toError(error).message);
}

export async function readResource(registry: Registry, params: Params, caller: Caller): Promise<ReadResourceResult> {
  const { uri } = params;
  if (typeof uri !== 'string') throw invalidParams('resources/read needs a "uri"');
  const call = new Call(caller, params);
  const resource = registry.resources.get(uri);
  if (resource) return toContents(await resource.read(uri, call), uri, resource.definition.mimeType);
  for (const { template, read, definition } of registry.resourceTemplates.entries()) {
    const variables = template.match(uri);
    if (variables) return toContents(await read(variables as never, call, uri), uri, definition.mimeType);
  }
  throw resourceNotFound(uri, caller.client.revision);
}

export async function getPrompt(registry: Registry, params: Params, caller: Caller): Promise<GetPromptResult> {
  const { name, arguments: args = {} } = params;
  const prompt = typeof name === 'string' ? registry.prompts.get(name) : undefined;
  if (!prompt) throw invalidParams(`Unknown prompt: ${name}`);
  for (const { name: argument, required } of prompt.definition.arguments ?? []) {
    const value = (args as Record<string, unknown>)[argument];
    if (value === undefined && required) throw invalidParams(`Prompt ${name} needs the argument "${argument}"`);
    if (value !== undefined && typeof value !== 'string') {
      throw invalidParams(`Argument "${argument}" of prompt ${name} must be a string`);
    }
  }
  return toPromptResult(await prompt.get(args as never, new Call(caller, params)), prompt.definition.description);
}

const MOST_COMPLETIONS = 100;

export async function complete(registry: Registry, params: Params): Promise<Result> {
  const { name, value } = (params.argument ?? {}) as { name?: unknown; value?: unknown };
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw invalidParams('completion/complete needs "argument" with "name" and "value", both strings');
  }
  const completers = completersOf(registry, params.ref as CompletionReference | undefined);
  const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
  const context = params.context as { arguments?: Record<string, string> } | undefined;
  const values = completer ? await completer(value, { arguments: context?.arguments ?? {} }) : [];
  const shown = values.slice(0, MOST_COMPLETIONS);
  return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } };
}

function completersOf(registry: Registry, ref: CompletionReference | undefined): Record<string, Completer> {
  if (ref?.type === 'ref/prompt') {
    const prompt = registry.prompts.get(ref.name);
    if (!prompt) throw invalidParams(`Unknown prompt: ${ref.name}`);
    return prompt.completers;
  }
  if (ref?.type === 'ref/resource') {
    const template = registry.resourceTemplates.get(ref.uri);
    if (template) return template.completers;
    if (registry.resources.get(ref.uri)) return {};
    throw invalidParams(`Unknown resource template: ${ref.uri}`);
  }
  throw invalidParams('"ref" must be of type "ref/prompt" or "ref/resource"');
}

/**
 * Splits long lists into pages. A cursor is opaque to the client and marks where the next page begins; invalid cursors
 * are refused.
 */
function page<T>(all: readonly T[], cursor: unknown, pageSize: number): Page<T> {
  const start = cursor === undefined || cursor === null ? 0 : startOf(cursor, all.length);
  const end = start + pageSize;
  if (start === 0 && end >= all.length) return { items: all, nextCursor: undefined };
  return { items: all.slice(start, end), nextCursor: end < all.length ? `after:${end}` : undefined };
}

function startOf(cursor: unknown, length: number): number {
  const match = typeof cursor === 'string' ? CURSOR.exec(cursor) : null;
  const start = Number(match?.[1]);
  if (!match || start > length) {
    throw invalidParams(`Invalid cursor ${JSON.stringify(cursor)}: use the nextCursor of the page before`);
  }
  return start;
}
