// Reads the config of a fleet from the text of a file: `mcpServers` as in any config, with `place`. It is checked like every other
// config, but not expanded: variables, paths and files belong to the node that runs a server. An error anywhere rejects the whole
// text, because a server that is missing from it is removed from the fleet.

import { isWorthMasking } from '../../../base/secrets/mask-values.ts';
import { secretsInArguments } from '../../../base/secrets/redact-arguments.ts';
import { readForm } from '../../../config/config-file.ts';
import { readServers } from '../../../config/edit/config-servers.ts';
import { addressFault, secretsInAddress, showsSecret } from '../../../config/expand/address.ts';
import { textsOf } from '../../../config/expand/expand-draft.ts';
import { parseTemplate, type Template } from '../../../config/expand/variables.ts';
import type { ConfigPlace } from '../../../config/files/places.ts';
import { type FoundLock, lockOf } from '../../../config/lock/server-lock.ts';
import { type ConfigProblem, Findings } from '../../../config/problem.ts';
import type { Draft } from '../../../config/read/draft.ts';
import type { Located } from '../../../config/read/fields.ts';
import { parseDocument } from '../../../config/read/json-document.ts';
import { commandKeys, formatsOfRemotes, remoteKeys, settingKeys } from '../../../config/read/keys.ts';
import { defaultPlace } from '../../../config/server-config.ts';
import type { ServerRecord } from '../cluster-network.ts';
import { isAddressable } from '../subjects.ts';

export interface FleetEntries {
  servers: readonly ServerRecord[];
  /** Errors and warnings, in the order of the text. If there is an error, `servers` is empty. */
  problems: readonly ConfigProblem[];
}

export interface ReadOptions {
  allowLiterals?: boolean | undefined;
  /** The lock beside the file. */
  lock?: FoundLock;
}

/** `@` and `#` are reserved for the names of servers on nodes: `files@laptop`, `files#1`. */
const serverName = /^[^@#\s](?:[^@#]{0,98}[^@#\s])?$/;
const STAYS =
  'A node resolves it against the folder that it was started in. Write an absolute path, or use a variable.';

export async function readFleetEntries(text: string, file: string, options: ReadOptions = {}): Promise<FleetEntries> {
  const place: ConfigPlace = { file, origin: 'named', folder: '' };
  const platform = 'linux'; // only affects file names
  const document = parseDocument(text, file);
  const form = readForm(document, place, platform);
  const problems = [...form.problems];
  if (form.definitions.length > 0) {
    const found = new Findings();
    const suggestion = 'A node takes ${input:id} from the variable STANDPIPE_INPUT_<ID> of its environment.';
    found.warn({ file, line: 1, column: 1 }, '"inputs" has no effect in a fleet', suggestion);
    problems.push(...found.problems);
  }
  for (const { draft, findings } of form.drafts) {
    checkDraft(draft, findings, options);
    problems.push(...findings.problems);
  }
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  if (problems.some(({ severity }) => severity === 'error')) return { servers: [], problems };
  const { entries } = await readServers(text, place, platform);
  const servers = form.drafts.map(({ draft }) => {
    const { name, locked } = draft.literal;
    const lock = lockOf(name, locked ?? form.locked, options.lock);
    return { ...recordOf(draft, entries.get(name)!), ...(lock && { lock }) };
  });
  return { servers, problems };
}

function checkDraft(draft: Draft, findings: Findings, { allowLiterals = false }: ReadOptions): void {
  const { name, source } = draft.literal;
  if (!serverName.test(name) || !isAddressable(name)) {
    const message = 'The name of a server of a fleet has at most 100 characters of valid Unicode, without "@" and "#"';
    findings.error(source, message, 'Rename the server.');
  }
  for (const { at, what, suggestion } of allowLiterals ? [] : literalSecrets(draft)) {
    findings.error(at, `${what} contains a secret, which all nodes could read`, suggestion);
  }
  const texts = draft.url ? [draft.ca] : [draft.cwd, draft.envFile, draft.command];
  for (const located of texts)
    if (located && isRelativePath(located)) findings.warn(located.at, 'This path is relative', STAYS);
  const fault = draft.url && !draft.url.text.includes('${') ? addressFault(draft.url.text.trim()) : undefined;
  if (fault) findings.error(draft.url!.at, fault.message, fault.suggestion);
  for (const located of textsOf(draft)) {
    const { fault } = parseTemplate(located?.text ?? '');
    if (fault)
      findings.error(located!.at, `In this string, ${fault}`, 'For the literal text, write $${ instead of ${.');
  }
}

function isRelativePath({ text }: Located): boolean {
  return /[\\/]/.test(text) && !/^(?:[\\/]|[A-Za-z]:[\\/]|\$\{|~)/.test(text);
}

/** Keys without effect are dropped, because they could contain anything. */
function recordOf({ literal: { name }, place }: Draft, entry: Record<string, unknown>): ServerRecord {
  const known = { ...settingKeys, ...commandKeys, ...remoteKeys, ...formatsOfRemotes };
  const kept = Object.entries(entry).filter(([key]) => Object.hasOwn(known, key) && key !== 'place');
  const { at: _, ...rest } = place ?? { ...defaultPlace, at: undefined };
  return { name, entry: Object.fromEntries(kept), place: rest };
}

export interface LiteralSecret extends Located {
  what: string;
  suggestion: string;
}

/** Secrets written literally in an entry: every node and every program that may read NATS would see them. */
export function literalSecrets(draft: Draft): LiteralSecret[] {
  if (draft.url) {
    const headers = [...draft.headers].flatMap(([name, value]) =>
      named(`The header "${name}"`, name, value, `"${name}": "${example(name, value.text)}"`),
    );
    const { clientSecret } = draft.oauth || {};
    const secret = clientSecret
      ? named('"clientSecret"', 'clientSecret', clientSecret, '"clientSecret": "${CLIENT_SECRET}"')
      : [];
    const address = asWritten(draft.url.text);
    const inAddress = [...secretsInAddress(address), ...secretsIn(address)].some(isLiteral)
      ? [{ ...draft.url, what: 'The address', suggestion: 'Write ${NAME} in place of the secret part.' }]
      : [];
    return [...headers, ...secret, ...inAddress];
  }
  const env = [...draft.env].flatMap(([name, value]) =>
    value ? named(`The variable "${name}"`, name, value, `"${name}": "\${${name}}"`) : [],
  );
  const isShell = /(?:^|[\\/])(?:ba|da|z|k)?sh$/.test(draft.command?.text ?? '');
  const args = draft.args.flatMap((arg, index) => {
    const [before, text] = [draft.args[index - 1]?.text, asWritten(arg.text)];
    const found = secretsIn(...(before === undefined ? [] : [before]), text).filter((secret) => text.includes(secret));
    const isWritten = found.some((secret) => isLiteral(secret) && !(isShell && shellVariable.test(secret)));
    const suggestion = 'Write ${NAME} in place of it, or pass it in "env".';
    return isWritten ? [{ ...arg, what: 'An argument', suggestion }] : [];
  });
  const paths = [draft.command, draft.cwd, draft.envFile].flatMap((path) => {
    const suggestion = 'Write ${NAME} in place of it.';
    const isWritten = path && secretsIn(asWritten(path.text)).some(isLiteral);
    return isWritten ? [{ ...path, what: 'This text', suggestion }] : [];
  });
  return [...env, ...args, ...paths];
}

function named(what: string, name: string, value: Located, format: string): LiteralSecret[] {
  const text = asWritten(value.text);
  const isSecret = showsSecret([name, text.replaceAll('${', '')]) && isWorthMasking(text) && isLiteral(text);
  return isSecret || secretsIn(text).some(isLiteral)
    ? [{ ...value, what, suggestion: `Write ${format}: each node takes the value from its environment.` }]
    : [];
}

/** `$NAME` and `$(command)` in a shell. */
const shellVariable = /^["']?\$[A-Za-z_(]/;
const privateKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
/** Kinds of authentication, not credentials. `isWorthMasking` excludes `none`. */
const kinds = /^(?:basic|bearer|oauth2?|oidc|jwt|mtls|required|optional)$/i;
/** Matches paths such as `/run/secrets/token` and `~/.ssh/id_ed25519`. Secrets that begin with a slash by chance have longer segments. */
const path = /^(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\p{L}\p{M}\p{N}_ .@-]{1,30}){2,}$/u;

function secretsIn(...args: string[]): string[] {
  return privateKey.test(args.at(-1)!) ? [args.at(-1)!] : secretsInArguments(args);
}

/** Replaces references with their defaults, which are literal too, or with `${X}`. */
function asWritten(text: string): string {
  const written = (template: Template): string =>
    template
      .map((part) => (typeof part === 'string' ? part : part.fallback ? written(part.fallback) : '${X}'))
      .join('');
  const { template, fault } = parseTemplate(text);
  return fault === undefined ? written(template) : text;
}

/** Next to a reference, only text that looks like part of a secret counts: at least 8 characters with letters and digits. */
function isLiteral(secret: string): boolean {
  if (kinds.test(secret) || path.test(secret)) return false;
  const around = secret.split(/(?:\$|%24)(?:\{|%7B)[^}%]*(?:\}|%7D)/i);
  if (around.length === 1) return !/(?:\$|%24)(?:\{|%7B)/i.test(secret);
  return around.some((text) => text.length >= 8 && /\d/.test(text) && /[A-Za-z]/.test(text));
}

/** The suggested value of a header: `Bearer ${TOKEN}` for `Authorization`, `${X_API_KEY}` for `X-API-Key`. */
function example(name: string, value: string): string {
  const scheme = /^(Bearer|Basic|Token) /i.exec(value)?.[0] ?? '';
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `${scheme}\${${variable === 'AUTHORIZATION' ? 'TOKEN' : variable}}`;
}
