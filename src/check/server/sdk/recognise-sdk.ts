// Recognises the SDK of a server by its errors for requests that the SDK answers before code of the user runs. Only signs that no other known
// implementation has are used.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { methodsOfMcp } from '../../../mcp/methods.ts';
import { eraOf } from '../../../mcp/revisions.ts';
import type { ServerCapabilities } from '../../../mcp/types.ts';
import { parsed } from '../../parsed-json.ts';
import type { Target } from '../../target.ts';
import { initializeOn } from '../initialize.ts';
import type { Probe } from '../probe.ts';
import type { RevisionRun } from '../revision-run.ts';
import { installedVersion } from './installed-version.ts';

export type SdkName = 'TypeScript SDK' | 'Python SDK' | 'FastMCP for Python' | 'Go SDK' | 'C# SDK';

export interface Sdk {
  readonly name: SdkName;
  readonly version?: string;
  /** The part of the SDK that answers instead of code of the user, if the server uses it. */
  readonly part?: 'MCPServer' | 'McpServer';
}

/** Answers from a server, and its stderr. */
export interface Signs {
  /** The error for `initialize` without params, if it is refused. */
  readonly malformed: JsonObject | undefined;
  /** The error for `UNKNOWN`, if it is refused. */
  readonly unknown: JsonObject | undefined;
  readonly stderr: string;
}

const UNKNOWN = 'standpipe/which-sdk';
const UNKNOWN_URI = 'standpipe-unknown://which-sdk';

/** Starts a process. `revisionRun`: of the newest revision. Undefined for an unknown SDK. */
export async function recogniseSdk(revisionRun: RevisionRun, target: Target): Promise<Sdk | undefined> {
  const probe = await revisionRun.start();
  try {
    const sdk = sdkOf(await signsOf(probe));
    const isModern = eraOf(revisionRun.revision) === 'modern';
    if (sdk?.name === 'Python SDK') return ofPythonSdk(sdk, isModern, revisionRun.facts.tools);
    if (sdk?.name !== 'TypeScript SDK') return sdk;
    const version = installedVersion(target, isModern);
    const part = (await isMcpServer(probe, revisionRun.facts.capabilities)) ? 'McpServer' : undefined;
    return { ...sdk, ...(version && { version }), ...(part && { part }) };
  } finally {
    await probe.stop();
  }
}

export function sdkOf({ malformed, unknown, stderr }: Signs): Sdk | undefined {
  const { code, message } = unknown ?? {};
  if (code === -32601 && message === 'Method not found' && isListOfIssues(malformed)) return { name: 'TypeScript SDK' };
  if ([malformed, unknown].some(isOfPython)) {
    const [, version] = /FastMCP(?: version:)? +v?(\d+\.\d+\.\d+\S*)/.exec(stderr) ?? [];
    return version === undefined ? { name: 'Python SDK' } : { name: 'FastMCP for Python', version };
  }
  if (code === -32601 && message === `method not found: "${UNKNOWN}"`) return { name: 'Go SDK' };
  if (code === -32601 && message === `Method '${UNKNOWN}' is not available.`) return { name: 'C# SDK' };
  return undefined;
}

/** Version 1.x has no modern revision. MCPServer derives the input schema of a tool from a model named after the function. */
export function ofPythonSdk(sdk: Sdk, isModern: boolean, tools: readonly JsonObject[]): Sdk {
  const isMade = ({ inputSchema }: JsonObject) => isObject(inputSchema) && /.Arguments$/.test(`${inputSchema.title}`);
  return { ...sdk, ...(isModern && { version: '2.x' }), ...(tools.some(isMade) && { part: 'MCPServer' }) };
}

/** McpServer declares changes of each list that it has, and has a message of its own for an entry that does not exist. */
async function isMcpServer(probe: Probe, capabilities: ServerCapabilities): Promise<boolean> {
  for (const [method, { target }] of methodsOfMcp) {
    if (!target?.list || capabilities[target.list]?.listChanged !== true) continue;
    const unknown = target.parameter === 'uri' ? UNKNOWN_URI : UNKNOWN;
    return isOfMcpServer(await answerOf(probe, method, { [target.parameter]: unknown }));
  }
  return false;
}

const MCP_SERVER = new RegExp(
  `^(?:MCP error -32602: )?(?:(?:Tool|Prompt) ${UNKNOWN} not found|Resource ${UNKNOWN_URI} not found|Resource not found: ${UNKNOWN_URI})$`,
);

/** Version 1.x reports an unknown tool as a tool result. */
export function isOfMcpServer({ error, result }: JsonObject): boolean {
  const [block] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  const text = isObject(error) ? error.message : isObject(block) && block.text;
  return typeof text === 'string' && MCP_SERVER.test(text);
}

async function signsOf(probe: Probe): Promise<Signs> {
  const ignored = () => undefined; // a server that does not answer is not recognised
  const malformed = await initializeOn(probe, {}).then(({ error }) => error, ignored);
  const answer = await answerOf(probe, UNKNOWN);
  const stderr = probe.transcript.entries.filter(({ kind }) => kind === 'stderr').map(({ bytes }) => bytes);
  return {
    malformed: isObject(malformed) ? malformed : undefined,
    unknown: isObject(answer.error) ? answer.error : undefined,
    stderr: Buffer.concat(stderr).toString('utf8'),
  };
}

/** An empty object if there is no answer. */
async function answerOf(probe: Probe, method: string, params?: JsonObject): Promise<JsonObject> {
  const id = probe.newId();
  probe.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  const frame = await probe.maybe(() => probe.anyAnswerTo(id) ?? probe.anonymousErrorTo(id));
  return isObject(frame?.json) ? frame.json : {};
}

/** Zod's issues as the message of an internal error. */
function isListOfIssues(error: JsonObject | undefined): boolean {
  const issues = error?.code === -32603 && typeof error.message === 'string' ? parsed(error.message) : undefined;
  return (
    Array.isArray(issues) && issues.some((issue) => isObject(issue) && `${issue.path}` === 'params,protocolVersion')
  );
}

function isOfPython(error: JsonObject | undefined): boolean {
  return error?.code === -32602 && error.message === 'Invalid request parameters' && error.data === '';
}
