// Connects to NATS, and makes the buckets of the fleet where they do not exist.

import type { Fabric } from '../fabric.ts';
import { loadNats } from './load-nats.ts';
import { NatsFabric } from './nats-fabric.ts';
import { NatsTable } from './nats-table.ts';

export interface FabricOptions {
  /** `nats://HOST:PORT` or `tls://HOST:PORT`. */
  servers: readonly string[];
  fleet: string;
  /** For the monitoring of NATS. */
  name: string;
  /** Of the leases, if the fleet does not exist yet. Default: 5 s. */
  lifetimeMs?: number | undefined;
  /** A credentials file of NATS. */
  credentials?: string | undefined;
  /** Certificates of the authorities to trust, and those of the client, in PEM. */
  tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined } | undefined;
}

const DEFAULT_LIFETIME_MS = 5_000;

export async function openFabric(options: FabricOptions): Promise<Fabric> {
  const { servers, fleet, name, lifetimeMs = DEFAULT_LIFETIME_MS } = options;
  const packages = await loadNats();
  const connection = await packages.transport.connect({
    servers: [...servers],
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 2_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  });
  const kvm = new packages.kv.Kvm(connection);
  // Never from a replica: a claim must not be taken over on the word of an old copy.
  const shared = { allow_direct: false, history: 1 };
  const table = async <T>(bucket: string, ttl?: number) =>
    new NatsTable<T>(await kvm.create(`standpipe-${fleet}-${bucket}`, ttl ? { ...shared, ttl } : shared), packages);
  return new NatsFabric(connection, packages, {
    fleet,
    directory: { servers: await table('servers'), nodes: await table('nodes'), claims: await table('claims') },
    leases: { lifetimeMs, table: await table('leases', lifetimeMs) },
  });
}
