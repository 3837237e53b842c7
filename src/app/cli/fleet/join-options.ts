// Options of `up --join`, which makes the host a node of a fleet.

import { hostname } from 'node:os';
import type { Command } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { MOST_LABELS } from '../../../config/server-config.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import { configFileOf } from '../servers/running-host.ts';
import type { Settings } from '../settings.ts';
import { addBucketOptions, addFleetOptions, checkName, type FleetOptions, readFleetOptions } from './fleet-options.ts';

/** Fleet options of `up`. */
export interface JoinFlags extends FleetOptions {
  node?: string;
  labels?: string;
  offer?: boolean;
  drain?: number;
}

export interface JoinPlan {
  network: ClusterNetworkOptions;
  node: string;
  labels: string[];
  offers: boolean;
  /** Limit in ms for pending calls when a server moves or the node leaves. */
  drainMs: number | undefined;
}

export function addJoinOptions(command: Command): Command {
  addFleetOptions(command, 'join the fleet at these NATS servers: nats://HOST,…');
  return addBucketOptions(command)
    .option('--labels <names>', 'labels of this node for placement: gpu,eu')
    .option('--no-offer', 'do not offer the servers of the config to other nodes');
}

/** Validates the options before anything starts. Undefined without --join. */
export function readJoinOptions({ labels, offer, drain, ...options }: JoinFlags): JoinPlan | undefined {
  const node = checkName('--node', options.node ?? nodeNameOf(hostname()));
  const network = readFleetOptions(options, node);
  if (network) {
    const names = (labels ?? '').split(',').filter((label) => label !== '');
    const checked = names.map((label) => checkName('--labels', label));
    if (checked.length > MOST_LABELS) {
      throw new UsageError('INVALID_OPTION', `--labels has ${checked.length} names; the limit is ${MOST_LABELS}`);
    }
    return { network, node, labels: checked, offers: offer !== false, drainMs: drain };
  }
  const needless = options.node !== undefined ? '--node' : labels !== undefined ? '--labels' : undefined;
  if (needless === undefined && offer !== false) return undefined;
  throw new UsageError('INVALID_OPTION', `${needless ?? '--no-offer'} needs --join`, {
    hint: 'Name the NATS servers of the fleet: --join nats://HOST[:PORT].',
  });
}

/** The host name with other characters replaced: `web-1.example.org` is the node `web-1-example-org`. */
export function nodeNameOf(host: string): string {
  return (
    host
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 64) || 'node'
  );
}

/** A node works without a config. Its host is then found by the node name. */
export function settingsOfNode(settings: Settings, plan: JoinPlan | undefined): Settings {
  const ofConfig = { ...settings, node: undefined };
  const hasConfig = settings.discover || settings.shared || configFileOf(ofConfig) !== undefined;
  return plan && !hasConfig ? { ...settings, node: plan.node } : ofConfig;
}
