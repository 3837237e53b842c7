// Converts the text of a config file into servers, rejected entries, and problems. Never throws for the content of a file. Files and
// variables are passed in.

import { toError } from '../base/errors.ts';
import { ownCommand } from '../base/own-command.ts';
import { envFileOf, expandDraft, inputsOf, type TextOf } from './expand/expand-draft.ts';
import {
  type AskInput,
  type InputDefinition,
  readInputs,
  resolveInputs,
  type VariableSources,
} from './expand/variables.ts';
import type { ConfigOrigin, ConfigPlace } from './files/places.ts';
import { projectFiles } from './hosts/host-folders.ts';
import type { HostScope } from './hosts/host-program.ts';
import type { FoundLock, LockMode } from './lock/server-lock.ts';
import { type ConfigProblem, Findings, type Position } from './problem.ts';
import type { CheckEntry } from './read/check-entry.ts';
import { type Draft, readDraft } from './read/draft.ts';
import { Fields } from './read/fields.ts';
import { findEntries } from './read/find-entries.ts';
import { type JsonDocument, parseText } from './read/json-document.ts';
import type { ServerConfig } from './server-config.ts';
import { pathOf } from './system-context.ts';
import { runsStandpipe } from './wrap/wrapped-entry.ts';

export interface ConfigFile {
  file: string;
  origin: ConfigOrigin;
  scope?: HostScope;
  /** False if the file is not JSON or has no `mcpServers`. Its servers are then unknown. */
  usable: boolean;
  servers: readonly ServerConfig[];
  rejected: readonly RejectedServer[];
  problems: readonly ConfigProblem[];
  /** Other files that the servers depend on. */
  envFiles: readonly string[];
  /** The lock beside the file. Undefined before it was looked for. */
  lock?: { readonly file: string; readonly found: FoundLock } | undefined;
}

/** An entry that cannot be used. */
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
  // Some hosts create an empty file.
  if (place.scope === 'user' && text.trim() === '') return unusable(place, []);
  const document = await parseText(text, place);
  const form = readForm(document, place, context.platform);
  const inputs = await resolveInputs(form.inputIds, form.definitions, context);
  const sources = { ...context, folder: place.folder, definitions: form.definitions, inputs };
  const texts = new Map<string, string | Error>();
  for (const { draft } of form.drafts) {
    const file = envFileOf(draft, sources);
    if (file !== undefined) texts.set(file, await context.readText(file).catch(toError));
  }
  return expandForm(form, place, sources, (file) => texts.get(file)!, context.checkEntry);
}

export function unusable({ file, origin, scope }: ConfigPlace, problems: readonly ConfigProblem[]): ConfigFile {
  return { file, origin, scope, usable: false, servers: [], rejected: [], problems, envFiles: [] };
}

interface ConfigForm {
  usable: boolean;
  definitions: InputDefinition[];
  inputIds: string[];
  drafts: { draft: Draft; findings: Findings }[];
  rejected: RejectedServer[];
  problems: ConfigProblem[];
  /** The default of `locked` for all servers. */
  locked?: LockMode | undefined;
}

export function readForm(document: JsonDocument, place: ConfigPlace, platform: NodeJS.Platform): ConfigForm {
  const whole = new Findings();
  const form: ConfigForm = { usable: false, definitions: [], inputIds: [], drafts: [], rejected: [], problems: [] };
  const found = findEntries(document, whole, place, platform);
  if (!found) return { ...form, problems: whole.problems };
  form.definitions = readInputs(found.inputs, document, whole);
  form.locked = found.locked;
  for (const { name, source, node } of found.entries) {
    const findings = new Findings(name);
    const isObject = node.type === 'object';
    if (!isObject)
      findings.error(document.at(node), 'A server must be an object', 'Write {"command": "…", "args": ["…"]}.');
    const draft = isObject ? readDraft(name, source, new Fields(node, document, findings), findings) : undefined;
    if (draft) form.drafts.push({ draft, findings });
    else {
      form.rejected.push(rejection(name, source, findings));
      form.problems.push(...findings.problems);
    }
  }
  const inputIds = form.drafts.flatMap(({ draft }) => inputsOf(draft));
  return { ...form, usable: true, inputIds, problems: [...whole.problems, ...form.problems] };
}

/** `textOf` is called with the results of `envFileOf`. */
export function expandForm(
  { usable, drafts, ...form }: ConfigForm,
  { file, origin, scope, host }: ConfigPlace,
  given: VariableSources,
  textOf: TextOf,
  checkEntry?: CheckEntry,
): ConfigFile {
  const takesDefaults = host === undefined || host.expands?.test('NAME:-default') === true;
  const sources = { ...given, takesDefaults };
  const rejected = [...form.rejected];
  const problems = [...form.problems];
  const envFiles = new Set<string>();
  const servers: ServerConfig[] = [];
  for (const { draft, findings } of drafts) {
    if (draft.place) {
      const suggestion = `Only \`${ownCommand} fleet apply FILE\` uses this key.`;
      findings.warn(draft.place.at, '"place" has no effect in the config of one host', suggestion);
    }
    const expanded = expandDraft(draft, sources, textOf, findings, envFiles);
    const server = { ...expanded, locked: expanded.locked ?? form.locked };
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
  return { file, origin, scope, usable, servers, rejected, problems, envFiles: [...envFiles] };
}

function rejection(name: string, source: Position, { problems }: Findings): RejectedServer {
  const { message } = problems.find(({ severity }) => severity === 'error')!;
  return { name, source, message };
}

/** An entry with `connect` and without `--config` would make the host wait for its own server. */
function connectsToItself(server: ServerConfig, file: string, platform: NodeJS.Platform): boolean {
  if (server.command === undefined) return false;
  const { name, command, args, cwd } = server;
  if (args.includes('--') || !runsStandpipe([command, ...args], 'connect')) return false;
  if (!args.includes('--all') && !args.includes(name)) return false;
  const at = args.indexOf('--config');
  if (at >= 0) return pathOf(platform).resolve(cwd, args[at + 1] ?? '') === file;
  return projectFiles({ cwd, platform }).includes(file);
}
