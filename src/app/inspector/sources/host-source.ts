// A host in this process as a source: it can be watched and used.

import type { Redact } from '../../../base/secrets/redact.ts';
import { OwnHost } from '../../../host/control/host-access.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { Host } from '../../../host/host.ts';
import type { Reach } from '../api.ts';
import type { Questions } from '../calls/questions.ts';
import type { InspectorSource, SourceHost } from './source.ts';

export interface HostSourceOptions {
  title?: string;
  /** From `inspectorInputs()`, if the host was given its handlers. */
  questions?: Questions;
  /** Hides the secrets of its servers, which are known from their config. */
  redact?: Redact;
  /** How the command line reaches its servers. */
  reach?: (server: string) => Reach;
  /** The fleet that it has joined. */
  fleet?: () => Promise<FleetStatus | undefined>;
}

/** Closing the Inspector does not stop the host. */
export function hostSource(host: Host, options: HostSourceOptions = {}): InspectorSource {
  const { title, questions, redact, reach, fleet } = options;
  const access = new OwnHost(host);
  const speaksMcp = (server: string) =>
    host.status().some(({ name, protocol }) => name === server && protocol === 'mcp');
  const acting: SourceHost = {
    status: () => host.status(),
    find: (name) => ({ host: access, name, sendsRawJson: speaksMcp(name) }),
  };
  return {
    kind: 'host',
    title: title ?? (host.names.join(', ') || 'no servers'),
    startedAt: host.flow.startedAt,
    live: true,
    flow: host.flow,
    isOurs: true,
    host: acting,
    questions,
    redact,
    reach,
    ...(fleet && { fleet }),
    close: async () => undefined,
  };
}
