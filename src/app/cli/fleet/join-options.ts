// The options of `up --join`: the node that the host becomes, and its fleet.

import { hostname } from 'node:os';
import type { Command } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { MOST_LABELS } from '../../../config/server-config.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import { configFileOf } from '../servers/running-host.ts';
import type { Settings } from '../settings.ts';
import { addBucketOptions, addFleetOptions, checkName, type FleetOptions, readFleetOptions } from './fleet-options.ts';

/** The options of `up` about a fleet. */
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
  /** How long calls may take to end when a server moves or the node leaves. */
  drainMs: number | undefined;
}

export function addJoinOptions(command: Command): Command {
  addFleetOptions(command, 'join the fleet at these NATS servers: nats://HOST,…');
  return addBucketOptions(command)
    .option('--labels <names>', 'labels of this node for placement: gpu,eu')
    .option('--no-offer', 'keep the servers of the config to this node');
}

/** Before anything starts. Undefined where no fleet is joined. */
export function readJoinOptions({ labels, offer, drain, ...options }: JoinFlags): JoinPlan | undefined {
  const node = checkName('--node', options.node ?? nodeNameOf(hostname()));
  const network = readFleetOptions(options, node);
  if (network) {
    const names = (labels ?? '').split(',').filter((label) => label !== '');
    const checked = names.map((label) => checkName('--labels', label));
    if (checked.length > MOST_LABELS) {
      throw new UsageError('INVALID_OPTION', `--labels has ${checked.length} names, and may have ${MOST_LABELS}`);
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

/** A node needs no config: without one its host is found by the name of the node. */
export function settingsOfNode(settings: Settings, plan: JoinPlan | undefined): Settings {
  const ofConfig = { ...settings, node: undefined };
  const hasConfig = settings.discover || settings.shared || configFileOf(ofConfig) !== undefined;
  return plan && !hasConfig ? { ...settings, node: plan.node } : ofConfig;
}
