// The version of the protocol of a host's socket. Programs of different versions of Standpipe meet there.

import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { ownInfo } from '../../mcp/own-info.ts';

/** Increased with every change that an older program does not understand. */
export const CONTROL_VERSION = 2;

/** `found` holds the versions that the running host reports. Undefined if this program understands it. */
export function otherVersion(found: { controlVersion?: unknown; version?: unknown }): UsageError | undefined {
  const { controlVersion, version } = found;
  if (controlVersion === CONTROL_VERSION) return undefined;
  const isNewer = typeof controlVersion === 'number' && controlVersion > CONTROL_VERSION;
  const which =
    version === undefined ? 'an earlier version' : `${isNewer ? 'the newer version' : 'version'} ${version}`;
  const message = `The running host of this config is ${which} of Standpipe; this is ${ownInfo.version}`;
  return new UsageError('HOST_VERSION', message, {
    hint: `End it with its own \`${ownCommand} down\`, or with Ctrl-C in its terminal, and start it again with this version.`,
  });
}
