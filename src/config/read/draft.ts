// An entry of a config, validated and not yet expanded: everything that needs no other file and no variable. With an error in the
// findings there is no draft.

import type { Findings, Position } from '../problem.ts';
import { type CommandDraft, readCommandDraft } from './command-draft.ts';
import type { Fields } from './fields.ts';
import { commandKeys, keysOfOthers, remoteKeys, replacements, settingKeys, spellingsOfRemotes } from './keys.ts';
import { isRemote, type RemoteDraft, readRemoteDraft } from './remote-draft.ts';
import { type PlaceDraft, readSettings } from './settings.ts';

const replacementOf = new Map(Object.entries(replacements));

export type Draft = (CommandDraft | RemoteDraft) & { place?: PlaceDraft | undefined };

export function readDraft(name: string, source: Position, fields: Fields, findings: Findings): Draft | undefined {
  const remote = isRemote(fields, findings);
  const [own, other] = remote ? [remoteKeys, commandKeys] : [commandKeys, remoteKeys];
  const known = { ...settingKeys, ...own, ...other, ...(remote ? spellingsOfRemotes : {}) };
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
