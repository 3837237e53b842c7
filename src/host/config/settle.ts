// A draft becomes a server: variables get their values, paths their folder, and the `envFile` is read. A disabled entry is
// left as it is written: nobody is to miss a variable, a file or an answer for something that is not going to run.

import { toError } from '../../base/errors.ts';
import type { Draft } from './draft.ts';
import { parseEnvFile } from './env-file.ts';
import type { Located } from './fields.ts';
import { resolvePath } from './paths.ts';
import type { Findings } from './problem.ts';
import type { ServerConfig } from './server-config.ts';
import { parseTemplate, references, render } from './template.ts';
import { explainNoValue, type VariableSources, variableValue } from './variables.ts';

export type ReadText = (file: string) => Promise<string>;

/** The ids of the inputs that a draft needs. */
export function inputsOf({ settled, command, args, env, envFile, cwd }: Draft): string[] {
  if (!settled.enabled) return [];
  const texts = [command, ...args, ...env.values(), envFile, cwd].flatMap((located) => located?.text ?? []);
  const all = texts.flatMap((text) => references(parseTemplate(text).template));
  return all.filter(({ scope }) => scope === 'input').map(({ name }) => name);
}

/** `envFiles` gets the path of the `envFile`, if there is one, whether or not it can be read. */
export async function settle(
  draft: Draft,
  sources: VariableSources,
  readText: ReadText,
  findings: Findings,
  envFiles: Set<string>,
): Promise<ServerConfig> {
  const { settled } = draft;
  const { folder, platform } = sources;
  const secrets = new Set<string>();
  const expand = (located: Located) =>
    settled.enabled ? expandText(located, sources, findings, secrets) : located.text;

  let env = new Map<string, string>();
  if (draft.envFile && settled.enabled) {
    const file = resolvePath(folder, expand(draft.envFile), platform);
    envFiles.add(file);
    if (!findings.failed) env = await readEnvFile(file, draft.envFile, readText, findings);
  }
  for (const [name, located] of draft.env) {
    if (located) env.set(name, expand(located));
    else env.delete(name);
  }
  // Values of `env` are hidden as such; only what is put elsewhere has to be remembered.
  secrets.clear();
  const command = expand(draft.command);
  const args = draft.args.map(expand);
  const cwd = draft.cwd ? resolvePath(folder, expand(draft.cwd), platform) : folder;
  return { ...settled, command, args, env: Object.fromEntries(env), cwd, secrets: [...secrets] };
}

function expandText({ text, at }: Located, sources: VariableSources, findings: Findings, secrets: Set<string>): string {
  const { template, fault } = parseTemplate(text);
  if (fault) findings.error(at, `In this text, ${fault}`, 'If it is meant as text, write $${ instead of ${.');
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
  if (expanded.includes('\0')) findings.error(at, 'This text contains a NUL character, which no program can be given');
  return expanded;
}

async function readEnvFile(file: string, { at }: Located, readText: ReadText, findings: Findings) {
  try {
    const { values, faults } = parseEnvFile(await readText(file));
    for (const { line, message } of faults) findings.warn({ file, line, column: 1 }, message);
    return values;
  } catch (error) {
    findings.error(at, `The "envFile" ${file} cannot be read: ${toError(error).message}`);
    return new Map<string, string>();
  }
}
