// Expands a draft into a server: replaces variables, resolves paths, and reads the `envFile`. A disabled entry is not expanded, so
// that missing variables, files or inputs are not reported for it.

import { Findings } from '../problem.ts';
import type { Draft } from '../read/draft.ts';
import type { Located } from '../read/fields.ts';
import type { ServerConfig } from '../server-config.ts';
import { parseEnvFile } from './env-file.ts';
import { expandRemote } from './expand-remote.ts';
import { resolvePath } from './paths.ts';
import { parseTemplate, references, render } from './template.ts';
import { explainNoValue, type VariableSources, variableValue } from './variables.ts';

/** The content of a file, or the error of reading it. */
export type TextOf = (file: string) => string | Error;

/** Ids of the inputs that a draft refers to. */
export function inputsOf(draft: Draft): string[] {
  if (!draft.literal.enabled) return [];
  const texts = textsOf(draft).flatMap((located) => located?.text ?? []);
  const all = texts.flatMap((text) => references(parseTemplate(text).template));
  return all.filter(({ scope }) => scope === 'input').map(({ name }) => name);
}

/** All strings that may contain variables. */
export function textsOf(draft: Draft): (Located | null | undefined)[] {
  if (draft.url) {
    const { clientId, clientSecret, clientMetadataUrl } = draft.oauth || {};
    return [draft.url, ...draft.headers.values(), clientId, clientSecret, clientMetadataUrl, draft.ca];
  }
  return [draft.command, ...draft.args, ...draft.env.values(), draft.envFile, draft.cwd];
}

/** Path of the `envFile` of a draft. */
export function envFileOf(draft: Draft, sources: VariableSources): string | undefined {
  if (draft.url || !draft.envFile || !draft.literal.enabled) return undefined;
  const { envFile } = draft;
  const findings = new Findings(); // reported when the draft is expanded
  const path = expandText(envFile, sources, findings, new Set());
  return findings.failed ? undefined : resolvePath(sources.folder, path, sources.platform);
}

/** `envFiles` gets the path of the `envFile`, if there is one, whether or not it can be read. */
export function expandDraft(
  draft: Draft,
  sources: VariableSources,
  textOf: TextOf,
  findings: Findings,
  envFiles: Set<string>,
): ServerConfig {
  const { enabled } = draft.literal;
  const secrets = new Set<string>();
  const expand = (located: Located) => (enabled ? expandText(located, sources, findings, secrets) : located.text);
  const { folder, platform } = sources;
  const path = (located: Located) => resolvePath(folder, expand(located), platform);
  if (draft.url) return expandRemote(draft, { text: expand, path, secrets }, findings);
  let env = new Map<string, string>();
  if (draft.envFile && enabled) {
    const file = path(draft.envFile);
    envFiles.add(file);
    if (!findings.failed) env = readEnvFile(file, draft.envFile, textOf(file), findings);
  }
  for (const [name, located] of draft.env) {
    if (located) env.set(name, expand(located));
    else env.delete(name);
  }
  // Values of `env` are always hidden, so only secrets in other places are collected.
  secrets.clear();
  const command = expand(draft.command);
  const args = draft.args.map(expand);
  const cwd = draft.cwd ? path(draft.cwd) : folder;
  return { ...draft.literal, command, args, env: Object.fromEntries(env), cwd, secrets: [...secrets] };
}

function expandText({ text, at }: Located, sources: VariableSources, findings: Findings, secrets: Set<string>): string {
  const { template, fault } = parseTemplate(text);
  if (fault) findings.error(at, `In this string, ${fault}`, 'For the literal text, write $${ instead of ${.');
  const expanded = render(
    template,
    (reference) => {
      const found = variableValue(reference, sources);
      if (found?.secret && found.value !== '') secrets.add(found.value);
      return found?.value;
    },
    (reference) => {
      const { code, message, suggestion } = explainNoValue(reference, sources);
      findings.error(at, message, suggestion, code);
    },
  );
  if (expanded.includes('\0'))
    findings.error(at, 'This string contains a NUL character, which cannot be passed to a program');
  return expanded;
}

function readEnvFile(file: string, { at }: Located, text: string | Error, findings: Findings): Map<string, string> {
  if (text instanceof Error) {
    findings.error(at, `The "envFile" ${file} cannot be read: ${text.message}`);
    return new Map();
  }
  const { values, faults } = parseEnvFile(text);
  for (const { line, message } of faults) findings.warn({ file, line, column: 1 }, message);
  return values;
}
