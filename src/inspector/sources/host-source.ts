// A host that runs in this process: everything can be watched, and everything can be done.

import type { Host } from '../../host/host.ts';
import { OwnHost } from '../../host/host-access.ts';
import type { Redact } from '../../secrets/redact.ts';
import type { Reach } from '../api.ts';
import type { Questions } from '../calls/questions.ts';
import type { InspectorSource, SourceHost } from './source.ts';

export interface HostSourceOptions {
  title?: string;
  /** From `inspectorInputs()`, if the host was given its handlers. */
  questions?: Questions;
  /** Hides the secrets of its servers: what their config holds is known to whoever read it. */
  redact?: Redact;
  /** How the command line reaches its servers. */
  reach?: (server: string) => Reach;
}

/** The host stays its owner's: closing the Inspector stops no server. */
export function hostSource(host: Host, { title, questions, redact, reach }: HostSourceOptions = {}): InspectorSource {
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
    close: async () => undefined,
  };
}
