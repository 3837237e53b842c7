// An entry of a config, validated and not yet expanded: everything that needs no other file and no variable. With an error in the
// findings there is no draft.

import type { Findings, Position } from '../problem.ts';
import { type CommandDraft, readCommandDraft } from './command-draft.ts';
import type { Fields } from './fields.ts';
import type { JsonDocument } from './json-document.ts';
import { keysOfOthers, keysToReplace, remoteKeys, serverKeys } from './known-keys.ts';
import { isRemote, type RemoteDraft, readRemoteDraft } from './remote-draft.ts';
import { readSettings } from './settings.ts';

export type Draft = CommandDraft | RemoteDraft;

export function readDraft(
  name: string,
  source: Position,
  fields: Fields,
  document: JsonDocument,
  findings: Findings,
): Draft | undefined {
  const remote = isRemote(fields, findings);
  const known = remote ? [...serverKeys, ...remoteKeys, 'headers'] : serverKeys;
  fields.warnUnknown(known, (key) => (keysOfOthers.has(key) ? '' : keysToReplace.get(key)));
  const settings = readSettings(name, source, fields, findings);
  const read = remote ? readRemoteDraft : readCommandDraft;
  return read(settings, fields, document, findings);
}
