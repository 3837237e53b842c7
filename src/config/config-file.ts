// Converts the text of a config file into servers, rejected entries, and problems. Never throws for the content of a file. Does
// no I/O: files and variables are passed in.

import type { Node } from 'jsonc-parser';
import { toError } from '../base/errors.ts';
import { envFileOf, expandDraft, inputsOf, type TextOf } from './expand/expand-draft.ts';
import { type AskInput, type InputDefinition, readInputs, resolveInputs } from './expand/inputs.ts';
import { pathOf } from './expand/paths.ts';
import type { VariableSources } from './expand/variables.ts';
import type { ConfigOrigin, ConfigPlace } from './files/places.ts';
import { type ConfigProblem, Findings, type Position } from './problem.ts';
import type { CheckEntry } from './read/check-entry.ts';
import { connectsToItself } from './read/connects-to-itself.ts';
import { type Draft, readDraft } from './read/draft.ts';
import { Fields } from './read/fields.ts';
import { type JsonDocument, parseDocument } from './read/json-document.ts';
import { fileKeys } from './read/known-keys.ts';
import type { ServerConfig } from './server-config.ts';

export interface ConfigFile {
  file: string;
  origin: ConfigOrigin;
  /** False if it is not JSON, or has no `mcpServers`: then nothing is known about its servers. */
  usable: boolean;
  servers: readonly ServerConfig[];
  rejected: readonly RejectedServer[];
  problems: readonly ConfigProblem[];
  /** Other files that its servers depend on. */
  envFiles: readonly string[];
}

/** An entry that cannot be used. The problems with its name explain it. */
export interface RejectedServer {
  name: string;
  source: Position;
  message: string;
}

export interface FileContext {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string;
  askInput?: AskInput;
  readText: (file: string) => Promise<string>;
  /** Checks whether the program and the folder of an entry exist. Default: no check. */
  checkEntry?: CheckEntry;
}

export async function configFromText(text: string, place: ConfigPlace, context: FileContext): Promise<ConfigFile> {
  const form = readForm(text, place, context.platform);
  const inputs = await resolveInputs(form.inputIds, form.definitions, context);
  const sources = { ...context, folder: place.folder, definitions: form.definitions, inputs };
  const texts = new Map<string, string | Error>();
  for (const { draft } of form.drafts) {
    const file = envFileOf(draft, sources);
    if (file !== undefined) texts.set(file, await context.readText(file).catch(toError));
  }
  return expandForm(form, place, sources, (file) => texts.get(file)!, context.checkEntry);
}

/** The content of the text alone: nothing is expanded, and no other file was read. */
export interface ConfigForm {
  usable: boolean;
  definitions: InputDefinition[];
  inputIds: string[];
  drafts: { draft: Draft; findings: Findings }[];
  rejected: RejectedServer[];
  problems: ConfigProblem[];
}

export function readForm(text: string, { file }: ConfigPlace, platform: NodeJS.Platform): ConfigForm {
  const document = parseDocument(text, file);
  const whole = new Findings();
  const form: ConfigForm = { usable: false, definitions: [], inputIds: [], drafts: [], rejected: [], problems: [] };
  const found = findEntries(document, whole, platform);
  if (!found) return { ...form, problems: whole.problems };
  form.definitions = readInputs(found.inputs, document, whole);
  for (const { name, source, node } of found.entries) {
    const findings = new Findings(name);
    const draft = readEntry(name, source, node, document, findings, form.rejected);
    if (draft) form.drafts.push({ draft, findings });
    else form.problems.push(...findings.problems);
  }
  const inputIds = form.drafts.flatMap(({ draft }) => inputsOf(draft));
  return { ...form, usable: true, inputIds, problems: [...whole.problems, ...form.problems] };
}

/** `textOf` is called with the results of `envFileOf`. */
export function expandForm(
  { usable, drafts, ...form }: ConfigForm,
  { file, origin }: ConfigPlace,
  sources: VariableSources,
  textOf: TextOf,
  checkEntry?: CheckEntry,
): ConfigFile {
  const rejected = [...form.rejected];
  const problems = [...form.problems];
  const envFiles = new Set<string>();
  const servers: ServerConfig[] = [];
  for (const { draft, findings } of drafts) {
    const server = expandDraft(draft, sources, textOf, findings, envFiles);
    if (draft.command && server.enabled && connectsToItself(server, file, sources.platform)) {
      findings.error(draft.command.at, 'This entry connects to itself', 'Name another config: "--config", "FILE".');
    }
    if (findings.failed) rejected.push(rejection(draft.literal.name, draft.literal.source, findings));
    else {
      servers.push(server);
      if (server.enabled) checkEntry?.(draft, server, findings);
    }
    problems.push(...findings.problems);
  }
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { file, origin, usable, servers, rejected, problems, envFiles: [...envFiles] };
}

/** The entry of a server in the text of a config. */
export interface ConfigEntry {
  name: string;
  source: Position;
  node: Node;
}

interface Entries {
  entries: ConfigEntry[];
  inputs: Node | undefined;
}

/** Reads `mcpServers`, and `servers` of VS Code. Undefined if there is an error in the findings. */
export function findEntries(
  document: JsonDocument,
  findings: Findings,
  platform: NodeJS.Platform,
): Entries | undefined {
  const { root, fault } = document;
  if (!root || fault) {
    findings.error(fault!, fault!.message, fault!.suggestion);
    return undefined;
  }
  const example = 'Write {"mcpServers": {"some-name": {"command": "…"}}}.';
  if (root.type !== 'object') {
    findings.error(document.at(root), 'A config must be an object', example);
    return undefined;
  }
  const fields = new Fields(root, document, findings);
  // The other keys of this file are settings of Claude Desktop.
  const shared = pathOf(platform).basename(document.file) === 'claude_desktop_config.json';
  if (!shared) fields.warnUnknown(fileKeys);
  const keys = (['mcpServers', 'servers'] as const).filter((key) => fields.has(key));
  if (keys.length === 0) {
    if (shared) return { entries: [], inputs: undefined };
    const bare = fields
      .keys()
      .some((key) => fields.value(key)?.children?.some((field) => field.children?.[0]?.value === 'command'));
    findings.error(fields.at, 'There is no "mcpServers"', bare ? 'Put the servers into "mcpServers": {…}.' : example);
    return undefined;
  }
  const groups = keys.map((key) => fields.object(key, example));
  if (groups.includes(undefined)) return undefined;
  const entries = new Map<string, ConfigEntry>();
  for (const group of groups as Fields[]) {
    for (const name of group.keys()) {
      const [source, first] = [group.keyAt(name), entries.get(name)];
      if (first) findings.warn(source, `"${name}" is in "mcpServers" and in "servers"; the first one is used`);
      else entries.set(name, { name, source, node: group.value(name)! });
    }
  }
  return { entries: [...entries.values()], inputs: fields.value('inputs') };
}

function readEntry(
  name: string,
  source: Position,
  node: Node,
  document: JsonDocument,
  findings: Findings,
  rejected: RejectedServer[],
): Draft | undefined {
  if (node.type !== 'object') {
    findings.error(document.at(node), 'A server must be an object', 'Write {"command": "…", "args": ["…"]}.');
    rejected.push(rejection(name, source, findings));
    return undefined;
  }
  const fields = new Fields(node, document, findings);
  const draft = readDraft(name, source, fields, document, findings);
  if (!draft) rejected.push(rejection(name, source, findings));
  return draft;
}

function rejection(name: string, source: Position, { problems }: Findings): RejectedServer {
  const { message } = problems.find(({ severity }) => severity === 'error')!;
  return { name, source, message };
}
