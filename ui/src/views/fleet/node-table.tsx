import type { FleetStatus } from '../../../../src/app/inspector/api.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { latency, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { MOST_ROWS, More } from './more.tsx';

type Node = FleetStatus['nodes'][number];

interface Props {
  nodes: readonly Node[];
  servers: FleetStatus['servers'];
  self: string | undefined;
  placer: string | undefined;
}

const titles = ['node', 'state', 'labels', 'clock', 'slots', 'own servers', 'gateway', 'machine', 'version'];

export function NodeTable({ nodes, servers, self, placer }: Props) {
  const slots = new Map<string, number>();
  for (const { node, held } of servers.flatMap(({ replicas }) => replicas)) {
    if (held) slots.set(node, (slots.get(node) ?? 0) + 1);
  }
  return (
    <>
      <ScrollRegion className="table-scroll" label="Nodes">
        <table>
          <thead>
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col" className={title === 'slots' ? 'right' : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.slice(0, MOST_ROWS).map((node) => (
              <NodeRow
                key={node.name}
                node={node}
                slots={slots.get(node.name) ?? 0}
                roles={rolesOf(node, self, placer)}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <More count={nodes.length} what="node" />
    </>
  );
}

function NodeRow({ node, slots, roles }: { node: Node; slots: number; roles: string[] }) {
  const { name, labels, offers, url, hostname, pid, version } = node;
  const [state, text] = stateOf(node);
  return (
    <tr>
      <th scope="row" className="nowrap">
        {visibleLine(name)}
        {roles.map((role) => (
          <span key={role} className="tag">
            {role}
          </span>
        ))}
      </th>
      <td>
        <span className={`state ${state}`}>{text}</span>
      </td>
      <td className="labels">
        {labels.map((label) => (
          <span key={label} className="tag">
            {visibleLine(label)}
          </span>
        ))}
      </td>
      <td className="nowrap">{clockOf(node)}</td>
      <td className="right">{slots}</td>
      <td title={visibleLine(offers.join(', '))}>
        {offers.length > 3 ? plural(offers.length, 'server') : visibleLine(offers.join(', ')) || '—'}
      </td>
      <td className="cut">{visibleLine(url ?? '—')}</td>
      <td className="nowrap">
        {visibleLine(hostname)} <span className="muted">({pid})</span>
      </td>
      <td>{visibleLine(version)}</td>
    </tr>
  );
}

function rolesOf({ name }: Node, self: string | undefined, placer: string | undefined): string[] {
  return [...(name === self ? ['this node'] : []), ...(name === placer ? ['places'] : [])];
}

function stateOf({ isAlive, draining }: Node): [className: string, text: string] {
  if (!isAlive) return ['failed', 'no lease'];
  return draining ? ['stopping', 'draining'] : ['ready', 'alive'];
}

/** The offset of the clock relative to the reporting node, positive if it is ahead. */
function clockOf({ clockOffset }: Node): string {
  if (!clockOffset) return '—';
  const { ms, uncertaintyMs } = clockOffset;
  return `${ms < 0 ? '−' : '+'}${latency(Math.abs(ms))} ± ${latency(uncertaintyMs)}`;
}
