// Reads and validates an entry of a config before expansion, without other files and variables. If the findings have an error, there
// is no draft.

import { eraOf } from '../../mcp/revisions.ts';
import type { Findings, Position } from '../problem.ts';
import {
  defaultPlace,
  defaultRestart,
  defaultSettings,
  defaultShare,
  type Place,
  type ServerSettings,
} from '../server-config.ts';
import { type CommandDraft, readCommandDraft } from './command-draft.ts';
import type { Fields } from './fields.ts';
import { readKeys } from './key.ts';
import { commandKeys, formatsOfRemotes, keysOfOthers, remoteKeys, replacements, settingKeys } from './keys.ts';
import { isRemote, type RemoteDraft, readRemoteDraft } from './remote-draft.ts';

const replacementOf = new Map(Object.entries(replacements));

/** `place`: has an effect only in the config of a fleet. */
export type Draft = (CommandDraft | RemoteDraft) & { place?: (Place & { at: Position }) | undefined };

export function readDraft(name: string, source: Position, fields: Fields, findings: Findings): Draft | undefined {
  const remote = isRemote(fields, findings);
  const [own, other] = remote ? [remoteKeys, commandKeys] : [commandKeys, remoteKeys];
  const known = { ...settingKeys, ...own, ...other, ...(remote ? formatsOfRemotes : {}) };
  fields.warnUnknown(Object.keys(known), (key) => (Object.hasOwn(keysOfOthers, key) ? '' : replacementOf.get(key)));
  const foreign = Object.keys(other).filter((key) => !Object.hasOwn(own, key));
  for (const key of foreign.filter((each) => fields.has(each) && !findings.failed)) {
    const server = remote ? 'remote server' : 'server that is started as a command';
    findings.warn(fields.keyAt(key), `"${key}" has no effect for a ${server}`, 'Remove it.');
  }
  const { settings, place } = readSettings(name, source, fields);
  const draft = remote ? readRemoteDraft(settings, fields, findings) : readCommandDraft(settings, fields, findings);
  return draft && { ...draft, place };
}

/** Settings common to local and remote servers. */
function readSettings(name: string, source: Position, fields: Fields) {
  if (name.trim() === '') fields.findings.error(source, 'A server needs a name');
  const { enabled, disabled, place, ...given } = readKeys(fields, settingKeys);
  if (enabled !== undefined && enabled === disabled) {
    const message = '"enabled" and "disabled" contradict each other: the server stays disabled';
    fields.findings.warn(fields.keyAt('disabled'), message);
  }
  const { secrets: _, ...defaults } = defaultSettings;
  const settings = {
    name,
    source,
    ...defaults,
    ...given,
    enabled: enabled !== false && disabled !== true,
    restart: { ...defaultRestart, ...given.restart },
    share: { ...defaultShare, ...given.share },
  };
  checkEra(settings, fields);
  const labels = [...new Set(place?.labels)];
  return { settings, place: place && { ...defaultPlace, ...place, labels, at: fields.keyAt('place') } };
}

/** Reports errors with their position that `connect` would otherwise report at every start. */
function checkEra({ era, revision }: Pick<ServerSettings, 'era' | 'revision'>, fields: Fields): void {
  if (!revision || era === 'auto' || eraOf(revision) === era) return;
  const message = `Revision ${revision} does not belong to the ${era} era`;
  fields.findings.error(fields.valueAt('revision'), message, 'Remove "era".');
}
