// Tolerated results: all accepted deviations from the protocol, in one place. A value is corrected only if it has one
// possible meaning, with one warning for each kind; an ambiguous value is an error.

import { PeerError } from '../../base/errors.ts';
import { isObject, metaOf } from '../../base/json-object.ts';
import { SERVER_INFO } from '../meta.ts';
import { isLegacyRevision, type LegacyRevision, legacyRevisions } from '../revisions.ts';
import type { Result, ServiceFacts } from '../service.ts';
import type { CallToolResult, Completion, ContentBlock, Implementation, ServerCapabilities, Tool } from '../types.ts';
import { isKnownBlock } from './known-content.ts';
import type { Warn } from './warnings.ts';

/** A draft before the first published revision. For a client it is identical to 2024-11-05. */
const DRAFT_REVISION = '2024-10-07';
const OLDEST: LegacyRevision = '2024-11-05';

export function asResult(value: unknown, method: string): Result {
  if (isObject(value)) return value;
  throw invalid(`The result of ${method} is ${describe(value)} instead of an object`);
}

/** Reads the description of the server from the result of `initialize` or `server/discover`. */
export function readServer(result: Result, warn: Warn): ServiceFacts {
  const { capabilities, instructions } = result;
  const declared = isObject(capabilities);
  if (!declared) warn('capabilities-missing', 'The server sent no capabilities; all are assumed');
  return {
    info: readInfo(result, warn),
    capabilities: declared ? readCapabilities(capabilities) : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** Removes the names of extensions if they are not members of an object. */
function readCapabilities(capabilities: ServerCapabilities): ServerCapabilities {
  const { extensions, experimental, ...others } = capabilities;
  return {
    ...others,
    ...(isObject(extensions) && { extensions }),
    ...(isObject(experimental) && { experimental }),
  };
}

function readInfo(result: Result, warn: Warn): Implementation {
  const info = metaOf(result)?.[SERVER_INFO] ?? result.serverInfo;
  if (!isObject(info)) {
    // 2026-07-28 only recommends `serverInfo`.
    if (result.supportedVersions === undefined) warn('server-info-missing', 'The server sent no serverInfo');
    return { name: 'unknown', version: 'unknown' };
  }
  const { name, version } = info;
  if (typeof name === 'string' && typeof version === 'string') return info as unknown as Implementation;
  warn('server-info-incomplete', 'The server sent serverInfo without a name or a version');
  return { ...info, name: textIn(name), version: textIn(version) };
}

function textIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}

/** Reads the revision from the result of `initialize`; undefined if it is not supported. */
export function readRevision(version: unknown, warn: Warn): LegacyRevision | undefined {
  if (isLegacyRevision(version)) return version;
  if (version === undefined || version === null || version === '') {
    warn('revision-missing', `The server named no protocol version; ${OLDEST} is assumed`);
    return OLDEST;
  }
  if (version === DRAFT_REVISION) {
    warn('revision-draft', `The server uses ${DRAFT_REVISION}, a draft; ${OLDEST} is assumed`);
    return OLDEST;
  }
  return undefined;
}

/** The answer object itself is not changed. */
export function readMcpCallResult(answer: unknown, warn: Warn): CallToolResult {
  const result = readIsError(asResult(answer, 'tools/call'), warn);
  const { content } = result;
  if (!Array.isArray(content)) return { ...result, content: readContent(content, warn) };
  if (content.every(isKnownBlock)) return result as unknown as CallToolResult;
  return { ...result, content: content.map((block) => readBlock(block, warn)) };
}

function readIsError(result: Result, warn: Warn): Result {
  const { isError } = result;
  if (isError === undefined || typeof isError === 'boolean') return result;
  const meant = isError === 'false' ? false : Boolean(isError);
  const written = JSON.stringify(isError).slice(0, 100);
  warn(
    'is-error-type',
    `The server answered a tool call with isError ${written}, not true or false; ${meant} is assumed`,
  );
  return { ...result, isError: meant };
}

/** A block of an unknown type may belong to a later revision and is kept as it is. */
function readBlock(block: unknown, warn: Warn): ContentBlock {
  if (isObject(block)) {
    if (!isKnownBlock(block)) {
      const type = typeof block.type === 'string' ? `type "${block.type}"` : 'no type';
      warn('content-unknown', `The server answered a tool call with a content block of unknown form (${type})`);
    }
    return block as unknown as ContentBlock;
  }
  warn(
    'content-not-blocks',
    'The server answered a tool call with content that is not a content block; it is shown as a text block',
  );
  return { type: 'text', text: typeof block === 'string' ? block : JSON.stringify(block) };
}

function readContent(content: unknown, warn: Warn): ContentBlock[] {
  if (content === undefined || content === null) {
    warn('content-missing', 'The server answered a tool call without content; it is shown as an empty list');
    return [];
  }
  if (typeof content === 'string') {
    warn('content-text', 'The server answered a tool call with content as plain text; it is shown as a text block');
    return [{ type: 'text', text: content }];
  }
  if (isObject(content) && typeof content.type === 'string') {
    warn('content-single', 'The server answered a tool call with one content block that is not in a list');
    return [content as unknown as ContentBlock];
  }
  throw invalid(`The content of a tool result is ${describe(content)} instead of a list`);
}

/** Reads the entries of one page. Entries without a name cannot be used and are dropped. */
export function readEntries<T>(result: Result, member: string, nameKey: string, warn: Warn): T[] {
  const entries = result[member];
  if (!Array.isArray(entries)) throw invalid(`"${member}" of the list is ${describe(entries)} instead of a list`);
  const usable = entries.filter((entry) => isObject(entry) && typeof entry[nameKey] === 'string');
  if (usable.length < entries.length) {
    warn('entry-unusable', `The server lists ${member} without a "${nameKey}"; they are dropped`);
  }
  return usable as T[];
}

export function readMcpTool(tool: Tool, warn: Warn): Tool {
  if (isObject(tool.inputSchema)) return tool;
  warn('input-schema-missing', `The server lists tools without an inputSchema ("${tool.name}"); any object is assumed`);
  return { ...tool, inputSchema: { type: 'object' } };
}

const CURSOR_EMPTY = 'The server ends its lists with an empty nextCursor instead of omitting it';

/** Reads the cursor of the next page. An empty cursor is valid: see `endLegacyList`. */
export function readCursor({ nextCursor }: Result, warn: Warn): string | undefined {
  if (nextCursor === undefined || typeof nextCursor === 'string') return nextCursor;
  if (nextCursor !== null) throw invalid(`"nextCursor" of a list is ${describe(nextCursor)} instead of a string`);
  warn('cursor-empty', CURSOR_EMPTY);
  return undefined;
}

/**
 * In 2026-07-28 an empty cursor is a cursor. Earlier revisions do not define it, and some of their servers end a list
 * with it. Clients of any revision may read a page of such a server, so the empty cursor is removed where the page
 * arrives.
 */
export function endLegacyList(page: Result, warn: Warn): Result {
  if (!isObject(page) || page.nextCursor !== '') return page;
  warn('cursor-empty', CURSOR_EMPTY);
  const { nextCursor: _, ...last } = page;
  return last;
}

export function readCompletion(answer: unknown, warn: Warn): Completion {
  const { completion } = asResult(answer, 'completion/complete');
  if (isObject(completion) && Array.isArray(completion.values)) return completion as unknown as Completion;
  warn('completion-missing', 'The server answered completion/complete without values; none are shown');
  return { values: [] };
}

/** Reads a result in which this member must be a list. */
export function readWithList<T>(answer: unknown, member: string & keyof T, method: string): T {
  const result = asResult(answer, method);
  if (Array.isArray(result[member])) return result as T;
  throw invalid(`"${member}" in the result of ${method} is ${describe(result[member])} instead of a list`);
}

export function knownRevisions(): string {
  return legacyRevisions.join(', ');
}

function invalid(message: string): PeerError {
  return new PeerError('RESULT_INVALID', message, {
    hint: 'The server violates the protocol; report it to its author.',
  });
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
