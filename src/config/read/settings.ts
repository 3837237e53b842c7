// The settings of an entry that do not depend on how its server is reached.

import { eraOf } from '../../mcp/revisions.ts';
import type { Position } from '../problem.ts';
import {
  defaultPlace,
  defaultRestart,
  defaultSettings,
  defaultShare,
  type Place,
  type ServerSettings,
} from '../server-config.ts';
import type { Fields } from './fields.ts';
import { readKeys } from './key.ts';
import { settingKeys } from './keys.ts';

export interface PlaceDraft extends Place {
  at: Position;
}

export interface SettingsDraft {
  settings: Omit<ServerSettings, 'secrets'>;
  /** Has an effect only in the config of a fleet. */
  place: PlaceDraft | undefined;
}

export function readSettings(name: string, source: Position, fields: Fields): SettingsDraft {
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

/** Errors that `connect` would report at every start are reported once, with their position. */
function checkEra({ era, revision }: Pick<ServerSettings, 'era' | 'revision'>, fields: Fields): void {
  if (!revision || era === 'auto' || eraOf(revision) === era) return;
  const message = `Revision ${revision} does not belong to the ${era} era`;
  fields.findings.error(fields.valueAt('revision'), message, 'Leave out "era".');
}
