// Selects the node for a slot of a server, and tells which nodes must not have one.

import type { NodeRecord, Place, ServerRecord } from '../cluster-network.ts';
import type { Candidate, LeastLoaded } from './least-loaded.ts';

/** The node with the fewest slots that has no replica. If every node has one and that is allowed, the node with the fewest replicas. */
export function select(
  nodes: LeastLoaded,
  { spread }: Place,
  here: ReadonlyMap<string, number>,
  isLeftOut: (node: string) => boolean,
): Candidate | undefined {
  const free = nodes.take(({ name }) => !here.has(name) && !isLeftOut(name));
  if (free || spread === 'nodes') return free;
  let best: Candidate | undefined;
  for (const node of nodes.aside) {
    if (isLeftOut(node.name)) continue;
    const more = best
      ? here.get(node.name)! - here.get(best.name)! || node.load - best.load || node.order - best.order
      : -1;
    if (more < 0) best = node;
  }
  return best;
}

/** These rules apply even if the slot then runs nowhere. */
export function whyNotThere(
  { name, record }: { name: string; record: NodeRecord },
  { place: { labels, spread } }: ServerRecord,
  here: ReadonlyMap<string, number>,
): string | undefined {
  if (!hasLabels(record, labels)) {
    const missing = labels.filter((label) => !record.labels.includes(label));
    return `node ${name} does not have the label ${missing.join(', ')}`;
  }
  return spread === 'nodes' && here.has(name) ? `node ${name} runs another replica` : undefined;
}

export function hasLabels(node: NodeRecord, labels: readonly string[]): boolean {
  return labels.every((label) => node.labels.includes(label));
}
