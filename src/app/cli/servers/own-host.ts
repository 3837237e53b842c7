// A host for one command. It starts the servers that are used, never restarts them, and passes elicitations to the terminal.

import { UsageError } from '../../../base/errors.ts';
import type { Config } from '../../../config/files/load-config.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { userEraMemory } from '../../../connect/file-era-memory.ts';
import type { Host } from '../../../host/host.ts';
import type { HostOptions } from '../../../host/hosted-server.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { Invocation, Settings } from '../invocation.ts';
import { askPerson } from './ask-person.ts';
import { reportNoise, warnOnce } from './server-reports.ts';

export async function ownHost(
  invocation: Invocation,
  given: readonly ServerConfig[] | undefined,
  unanswered: Unanswered[],
  fleet?: Pick<HostOptions, 'serviceOf' | 'whyAway'>,
): Promise<Host> {
  const { settings, out } = invocation;
  const { Host } = await import('../../../host/host.ts');
  const servers =
    given ??
    (await loadServers(settings).catch(mentionServerCommand)).servers.map((server) => forOneCommand(server, settings));
  const ready = new Set<string>();
  const early = new Map<string, string>(); // shown with the error of a server that does not connect
  const host = new Host(servers, {
    eraMemory: userEraMemory(),
    serviceOf: fleet?.serviceOf,
    whyAway: fleet?.whyAway,
    inputs: (server) => askPerson(server, out, unanswered),
    onUnapproved: ({ server, message }) => warnOnce(server, message, out),
    onNoise: ({ server, text, count }) => {
      if (count > 1) return;
      if (ready.has(server)) reportNoise(server, text, out);
      else early.set(server, text);
    },
    onStateChange: ({ server, to }) => {
      if (to === 'starting') out.activity.begin(`starting ${server}`);
      if (to !== 'ready') return;
      ready.add(server);
      const text = early.get(server);
      if (text !== undefined) reportNoise(server, text, out);
    },
  });
  if (settings.verbose) {
    const [{ showTraffic }, { ServerSecrets }] = await Promise.all([
      import('./show-traffic.ts'),
      import('./show-traffic.ts'),
    ]);
    showTraffic(host.flow, out, new ServerSecrets(servers).redact);
  }
  return host;
}

export async function loadServers({ config, discover }: Settings): Promise<Config> {
  const { loadConfig } = await import('../../../config/files/load-config.ts');
  return loadConfig({ file: config, discover });
}

/** Without a config, the hint mentions `-- <command …>` and `--url`. */
function mentionServerCommand(error: unknown): never {
  if (!(error instanceof UsageError) || error.code !== 'CONFIG_NOT_FOUND' || error.hint === undefined) throw error;
  const hint = `${error.hint} Or end the line with \`-- <command …>\`, which starts a server for this command, or with \`--url <address>\`.`;
  throw new UsageError(error.code, error.message, { hint, cause: error });
}

export function forOneCommand(server: ServerConfig, { timeoutMs }: Settings): ServerConfig {
  const { startupTimeoutMs, requestTimeoutMs } = server;
  return {
    ...server,
    restart: { ...server.restart, policy: 'never' },
    startupTimeoutMs: timeoutMs ?? startupTimeoutMs,
    requestTimeoutMs: timeoutMs ?? requestTimeoutMs,
  };
}
