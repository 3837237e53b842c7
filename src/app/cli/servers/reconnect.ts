// Makes a running host reconnect to a remote server after a login or a logout. The host reports failures.

import type { ServerState } from '../../../host/supervision/server-state.ts';
import type { Settings } from '../settings.ts';
import { findRunningHost } from './running-host.ts';

export async function reconnect(
  name: string,
  settings: Settings,
  isConcerned: (state: ServerState) => boolean,
): Promise<void> {
  const host = await findRunningHost(settings, () => undefined).catch(() => undefined);
  if (!host) return;
  try {
    const { servers } = await host.status();
    const found = servers.some((server) => server.name === name && isConcerned(server.state));
    if (found) await host.control('standpipe/restart', { server: name });
  } catch {
    // the next call tries again
  } finally {
    await host.close();
  }
}
