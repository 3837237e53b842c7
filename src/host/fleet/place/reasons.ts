// Explains why a slot has no node, as text for people.

import type { ClaimRecord, ServerRecord } from '../cluster-network.ts';
import type { PlannedNode } from './plan.ts';

const MOST_NAMES = 5;

export function reasonFor(
  { place }: ServerRecord,
  nodes: readonly PlannedNode[],
  here: ReadonlyMap<string, number>,
  refusals: ReadonlyMap<string, string> | undefined,
  silent: ReadonlySet<string>,
): string {
  if (nodes.length === 0) return 'the fleet has no nodes';
  const fitting = nodes.filter(({ record }) => place.labels.every((label) => record.labels.includes(label)));
  const which = place.labels.length === 0 ? '' : ` with ${labelsText(place.labels)}`;
  if (fitting.length === 0) return `no node has ${labelsText(place.labels)}`;
  const parts = [
    part(fitting, ({ record }) => record.draining, 'draining'),
    part(fitting, ({ name, record }) => !record.draining && silent.has(name), 'not answering'),
    part(
      fitting,
      (node) => !node.isEligible && !node.record.draining && !silent.has(node.name),
      'without a lease (it has ended, or cannot reach NATS)',
    ),
    part(
      fitting,
      ({ name, isEligible }) => isEligible && here.has(name),
      'running another replica ("spread": "nodes")',
    ),
  ].filter((text) => text !== '');
  const refused = fitting.filter(({ name, isEligible }) => isEligible && !here.has(name) && refusals?.has(name));
  const byReason = new Map<string, string[]>();
  for (const { name } of refused) {
    const reason = refusals!.get(name)!;
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  for (const [reason, names] of [...byReason].slice(0, MOST_NAMES))
    parts.push(`${listed(names)} refused it: ${reason}`);
  return `no node${which} can run it: ${parts.join('; ')}`;
}

/** Explains why a server stays where it has failed. `tried`: the nodes on which it has failed. */
export function whyItStays(tried: readonly string[], { node, failed }: ClaimRecord): string {
  return `it failed on ${listed(tried)}, and no other node may run it. On ${node}: ${failed}`;
}

function part(nodes: readonly PlannedNode[], is: (node: PlannedNode) => boolean | undefined, text: string): string {
  const names = nodes.filter(is).map(({ name }) => name);
  if (names.length === 0) return '';
  return `${listed(names)} ${names.length === 1 ? 'is' : 'are'} ${text}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function labelsText(labels: readonly string[]): string {
  return labels.length === 1 ? `the label ${labels[0]}` : `the labels ${labels.join(', ')}`;
}
