// An entry of a config, validated and not yet expanded: everything that needs no other file and no variable. With an error in the
// findings there is no draft.

import type { Findings, Position } from '../problem.ts';
import { type CommandDraft, readCommandDraft } from './command-draft.ts';
import type { Fields } from './fields.ts';
import type { JsonDocument } from './json-document.ts';
import {
  commandKeys,
  keysOfOthers,
  keysToReplace,
  onlyOfCommands,
  onlyOfRemotes,
  remoteKeys,
  spellingsOfRemotes,
} from './known-keys.ts';
import { type PlaceDraft, readPlace } from './place.ts';
import { isRemote, type RemoteDraft, readRemoteDraft } from './remote-draft.ts';
import { readSettings } from './settings.ts';

/** `place`: has an effect only in the config of a fleet. */
export type Draft = (CommandDraft | RemoteDraft) & { place?: PlaceDraft | undefined };

export function readDraft(
  name: string,
  source: Position,
  fields: Fields,
  document: JsonDocument,
  findings: Findings,
): Draft | undefined {
  const remote = isRemote(fields, findings);
  const [own, foreign] = remote ? [remoteKeys, onlyOfCommands] : [commandKeys, onlyOfRemotes];
  const known = [...own, ...foreign, ...(remote ? spellingsOfRemotes : [])];
  fields.warnUnknown(known, (key) => (keysOfOthers.has(key) ? '' : keysToReplace.get(key)));
  for (const key of foreign.filter((each) => fields.has(each) && !findings.failed)) {
    const server = remote ? 'remote server' : 'server that is started as a command';
    findings.warn(fields.keyAt(key), `"${key}" has no effect for a ${server}`, 'Remove it.');
  }
  const settings = readSettings(name, source, fields, findings);
  const place = readPlace(fields, findings);
  const draft = remote
    ? readRemoteDraft(settings, fields, findings)
    : readCommandDraft(settings, fields, document, findings);
  return draft && { ...draft, place };
}
