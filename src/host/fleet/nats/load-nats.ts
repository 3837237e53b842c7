// Loads the NATS packages on use: they are optional, and programs without a fleet do not have them.

import { UsageError } from '../../../base/errors.ts';

type Transport = typeof import('@nats-io/transport-node');
type Kv = typeof import('@nats-io/kv');
type JetStream = typeof import('@nats-io/jetstream');

export interface NatsPackages {
  transport: Transport;
  kv: Kv;
  jetstream: JetStream;
}

export async function loadNats(): Promise<NatsPackages> {
  try {
    const [transport, kv, jetstream] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/kv'),
      import('@nats-io/jetstream'),
    ]);
    return { transport, kv, jetstream };
  } catch (cause) {
    throw new UsageError('NATS_NOT_INSTALLED', 'A fleet needs packages of NATS that are not installed', {
      hint: 'Install them beside standpipe: npm install @nats-io/transport-node @nats-io/kv @nats-io/jetstream',
      cause: cause as Error,
    });
  }
}
