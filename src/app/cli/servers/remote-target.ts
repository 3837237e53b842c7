// Finds a remote server by its name in the config, or by its URL.

import { UsageError } from '../../../base/errors.ts';
import type { RemoteConfig } from '../../../config/server-config.ts';
import { rejections, unknownServer } from '../../../host/services/unknown-name.ts';
import { urlWithoutQuery } from '../../../wire/oauth/login.ts';
import type { Settings } from '../settings.ts';
import { loadServers } from './own-host.ts';
import { serverAtAddress } from './server-at-address.ts';

export type RemoteTarget = Pick<RemoteConfig, 'url' | 'headers' | 'oauth' | 'ca'> & { name: string };

export async function remoteTarget(word: string, settings: Settings): Promise<RemoteTarget> {
  if (/^https?:\/\//i.test(word)) {
    const { server } = serverAtAddress(word, {}, settings);
    return { ...server, name: urlWithoutQuery(server.url) };
  }
  const config = await loadServers(settings);
  const found = config.servers.find(({ name }) => name === word);
  if (!found)
    throw unknownServer(
      word,
      config.servers.map(({ name }) => name),
      rejections(config),
    );
  if (found.url !== undefined) return found;
  throw new UsageError('INVALID_OPTION', `"${word}" is a local command and has no login`, {
    hint: 'Set its credentials in "env" of its entry.',
  });
}
