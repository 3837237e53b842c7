// The settings of an entry that do not depend on how its server is reached.

import { LARGEST_MAX_FRAME_BYTES } from '../../framing/framing.ts';
import { eraOf, erasOfMcp, revisionsOfMcp } from '../../mcp/revisions.ts';
import type { Findings, Position } from '../problem.ts';
import { defaultSettings as defaults, type ServerSettings } from '../server-config.ts';
import { readAsks, readClientCapabilities } from './asks.ts';
import type { Fields } from './fields.ts';
import { readRestart } from './restart.ts';
import { readShare } from './share.ts';
import { readTools } from './tools.ts';

export function readSettings(
  name: string,
  source: Position,
  fields: Fields,
  findings: Findings,
): Omit<ServerSettings, 'secrets'> {
  if (name.trim() === '') findings.error(source, 'A server needs a name');
  return {
    name,
    source,
    enabled: readEnabled(fields, findings),
    autoStart: fields.boolean('autoStart') ?? defaults.autoStart,
    ...readEra(fields, findings),
    startupTimeoutMs: fields.count('startupTimeoutMs', 1) ?? defaults.startupTimeoutMs,
    requestTimeoutMs: fields.count('requestTimeoutMs', 1) ?? defaults.requestTimeoutMs,
    pingTimeoutMs: fields.count('pingTimeoutMs', 0) ?? defaults.pingTimeoutMs,
    maxFrameBytes: fields.count('maxFrameBytes', 1, LARGEST_MAX_FRAME_BYTES) ?? defaults.maxFrameBytes,
    maxFrameValues: fields.count('maxFrameValues', 1) ?? defaults.maxFrameValues,
    restart: readRestart(fields, findings),
    share: readShare(fields, findings),
    asks: readAsks(fields),
    clientCapabilities: readClientCapabilities(fields, findings),
    tools: readTools(fields, findings),
    unlisted: defaults.unlisted,
  };
}

function readEnabled(fields: Fields, findings: Findings): boolean {
  const [enabled, disabled] = [fields.boolean('enabled'), fields.boolean('disabled')];
  if (enabled !== undefined && enabled === disabled) {
    findings.warn(
      fields.keyAt('disabled'),
      '"enabled" and "disabled" contradict each other: the server stays disabled',
    );
  }
  return enabled !== false && disabled !== true;
}

/** Errors that `connect` would report at every start are reported once, with their position. */
function readEra(fields: Fields, findings: Findings): Pick<ServerSettings, 'era' | 'revision'> {
  const era = fields.choice('era', ['auto', ...erasOfMcp]) ?? defaults.era;
  const revision = fields.choice('revision', revisionsOfMcp);
  if (revision && era !== 'auto' && eraOf(revision) !== era) {
    findings.error(
      fields.valueAt('revision'),
      `Revision ${revision} does not belong to the ${era} era`,
      'Leave out "era".',
    );
  }
  return { era, revision };
}
