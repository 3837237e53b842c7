// Reads the config of a fleet from the text of a file: `mcpServers` as in any config, with `place`. It is checked like every other
// config, but not expanded: variables, paths and files belong to the node that runs a server. An error anywhere rejects the whole
// text, because a server that is missing from it is removed from the fleet.

import { readForm } from '../../../config/config-file.ts';
import { readServers } from '../../../config/edit/config-servers.ts';
import { addressFault } from '../../../config/expand/address.ts';
import { textsOf } from '../../../config/expand/expand-draft.ts';
import { parseTemplate } from '../../../config/expand/template.ts';
import type { ConfigPlace } from '../../../config/files/places.ts';
import { type ConfigProblem, Findings } from '../../../config/problem.ts';
import type { Draft } from '../../../config/read/draft.ts';
import type { Located } from '../../../config/read/fields.ts';
import { parseDocument } from '../../../config/read/json-document.ts';
import { commandKeys, formatsOfRemotes, remoteKeys, settingKeys } from '../../../config/read/keys.ts';
import { defaultPlace } from '../../../config/server-config.ts';
import type { ServerRecord } from '../cluster-network.ts';
import { isAddressable } from '../subjects.ts';
import { literalSecrets } from './literal-secrets.ts';

export interface FleetEntries {
  servers: readonly ServerRecord[];
  /** Errors and warnings, in the order of the text. If there is an error, `servers` is empty. */
  problems: readonly ConfigProblem[];
}

export interface ReadOptions {
  /** Accepts literal secrets. */
  allowLiterals?: boolean | undefined;
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
  const servers = form.drafts.map(({ draft }) => recordOf(draft, entries.get(draft.literal.name)!));
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
