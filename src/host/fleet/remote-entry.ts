// A server of the fleet, or of another node, as an entry of the host that calls it.

import { isObject } from '../../base/json-object.ts';
import {
  defaultRemoteSettings,
  defaultSettings,
  defaultShare,
  type RemoteConfig,
  type ServerSettings,
  type SharePolicy,
} from '../../config/server-config.ts';
import type { ServerRecord } from './cluster-network.ts';

const limits = ['requestTimeoutMs', 'maxFrameBytes', 'maxFrameValues'] as const;

/** `record` is set for a server of the fleet. */
export function remoteEntry(fleet: string, name: string, record: ServerRecord | undefined): RemoteConfig {
  return {
    ...defaultSettings,
    ...(record && callSettings(record)),
    ...defaultRemoteSettings,
    name,
    url: `nats://${fleet}/${encodeURIComponent(name)}`,
    oauth: false,
    autoStart: false, // a fleet may have thousands
    source: { file: `fleet ${fleet}`, line: 1, column: 1 },
  };
}

/** The settings of an entry that apply to each call. The others concern its processes. */
function callSettings({ entry }: ServerRecord): Partial<ServerSettings> {
  const given = limits.map((key) => [key, entry[key]] as const).filter(([, value]) => typeof value === 'number');
  const { share } = entry;
  const by = (isObject(share) ? share.by : share) as SharePolicy['by'] | undefined;
  return { ...Object.fromEntries(given), share: { ...defaultShare, by: by ?? defaultShare.by } };
}
