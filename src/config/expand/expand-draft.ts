// Expands a draft into a server: replaces variables, resolves paths, and reads the `envFile`. A disabled entry is not expanded, so
// that missing variables, files or inputs are not reported for it.

import { hasAuthorization, isLoopbackUrl, takeCredentials } from '../../base/credentials.ts';
import { Findings, type Position } from '../problem.ts';
import type { Draft, RemoteDraft } from '../read/draft.ts';
import type { Located } from '../read/fields.ts';
import type { RemoteConfig, ServerConfig } from '../server-config.ts';
import { resolvePath } from '../system-context.ts';
import { addressFault, headerFault, showsSecret } from './address.ts';
import { explainNoValue, parseTemplate, references, render, type VariableSources, variableValue } from './variables.ts';

/** The content of a file, or the error of reading it. */
export type TextOf = (file: string) => string | Error;

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

export function envFileOf(draft: Draft, sources: VariableSources): string | undefined {
  if (draft.url || !draft.envFile || !draft.literal.enabled) return undefined;
  const { envFile } = draft;
  const findings = new Findings(); // problems are reported when the draft is expanded
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

interface Expander {
  text(located: Located): string;
  path(located: Located): string;
  /** Secrets that `text` and `path` have found. */
  secrets: Set<string>;
}

/** Messages never contain an address or the value of a header. */
function expandRemote(draft: RemoteDraft, expand: Expander, findings: Findings): RemoteConfig {
  const { literal, oauth, ca } = draft;
  const headers = new Map([...draft.headers].map(([name, located]) => [name, expand.text(located)]));
  // Values of headers are always hidden, so only secrets in other places are collected.
  const inHeaders = expand.secrets.size > 0;
  expand.secrets.clear();
  const text = expand.text(draft.url).trim();
  const config = {
    ...literal,
    ca: ca && expand.path(ca),
    oauth: oauth && {
      ...oauth,
      clientId: oauth.clientId && expand.text(oauth.clientId),
      clientSecret: oauth.clientSecret && expand.text(oauth.clientSecret),
      clientMetadataUrl: oauth.clientMetadataUrl && expand.text(oauth.clientMetadataUrl),
    },
  };
  const { clientSecret } = config.oauth || {};
  if (clientSecret) expand.secrets.add(clientSecret);
  if (!literal.enabled || findings.failed) {
    return { ...config, url: text, headers: Object.fromEntries(headers), secrets: [...expand.secrets] };
  }
  for (const [name, value] of headers) {
    const fault = headerFault(value);
    if (fault) findings.error(draft.headers.get(name)!.at, `The header "${name}" ${fault.message}`, fault.suggestion);
  }
  const fault = addressFault(text);
  if (fault) findings.error(draft.url.at, fault.message, fault.suggestion);
  const url = fault ? text : withoutCredentials(new URL(text), text, headers, expand.secrets);
  if (!fault && (inHeaders || expand.secrets.size > 0 || [...headers].some(showsSecret))) {
    warnIfReadable(new URL(url), draft.url.at, findings);
  }
  return { ...config, url, headers: Object.fromEntries(headers), secrets: [...expand.secrets] };
}

/** Credentials in an address become a header, so that the address can be shown and compared. */
function withoutCredentials(url: URL, text: string, headers: Map<string, string>, secrets: Set<string>): string {
  const taken = takeCredentials(url);
  if (!taken) return text;
  const { user, password, basic } = taken;
  if (!hasAuthorization(headers.keys())) headers.set('Authorization', `Basic ${basic}`);
  for (const secret of [basic, password || user]) secrets.add(secret);
  return url.href;
}

function warnIfReadable(url: URL, at: Position, findings: Findings): void {
  if (url.protocol === 'https:' || isLoopbackUrl(url)) return;
  const suggestion = 'Use https://, or a tunnel to a local port.';
  findings.warn(at, 'The credentials of this server are sent unencrypted', suggestion);
}

/** `faults`: invalid lines, which are skipped. */
interface EnvFile {
  values: Map<string, string>;
  faults: { line: number; message: string }[];
}

const blank = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const name = /[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*/y;
const quoted = /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|`([^`]*)`/y;
const restOfLine = /([^\n]*)(?:\n|$)/y;

/**
 * Parses environment files as dotenv does: one NAME=value per line, optional `export`, comments, three kinds of quotes, and quoted
 * values over several lines. Double quotes support \n, \r, \t, \" and \\. Variables are not expanded.
 */
export function parseEnvFile(fileText: string): EnvFile {
  const text = fileText.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const values = new Map<string, string>();
  const faults: EnvFile['faults'] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match ?? undefined;
  };

  while (at < text.length) {
    if (take(blank)) continue;
    const start = at;
    const fault = takeAssignment();
    if (!fault) continue;
    faults.push({ line: text.slice(0, start).split('\n').length, message: fault });
    at = start;
    take(restOfLine);
  }
  return { values, faults };

  function takeAssignment(): string | undefined {
    const key = take(name)?.[1];
    if (key === undefined) return 'This line is neither NAME=value nor a comment';
    if (!`"'\``.includes(text[at] ?? ' ')) {
      values.set(key, withoutComment(take(restOfLine)![1]!));
      return undefined;
    }
    const value = take(quoted);
    if (!value) return `The value of ${key} has no closing quote`;
    const [, double, single, backtick] = value;
    if (!take(blank)) return `There is text after the value of ${key}`;
    values.set(key, double === undefined ? (single ?? backtick)! : unescapeText(double));
    return undefined;
  }
}

function withoutComment(value: string): string {
  return value.replace(/(?:^|\s)#.*$/, '').trim();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

function unescapeText(text: string): string {
  return text.replaceAll(/\\([nrt"\\])/g, (_, letter: string) => escapes[letter]!);
}
