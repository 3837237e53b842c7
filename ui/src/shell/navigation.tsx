import { useEffect, useRef } from 'react';
import { lastAddressOf, useRoute, type View, views } from '../route.ts';
import { useCell } from '../state/cell.ts';
import { arrivals, clients, fleet, isAlarming, problems, servers } from '../state/inspected.ts';

export const titles: Record<View, string> = {
  servers: 'Servers',
  wire: 'Wire',
  tools: 'Tools',
  resources: 'Resources',
  prompts: 'Prompts',
  latency: 'Latency',
  stderr: 'stderr',
  problems: 'Problems',
  clients: 'Clients',
  fleet: 'Fleet',
};

/** The tenth view has the key 0. */
export const keyOf = (at: number) => String((at + 1) % 10);

export function Navigation() {
  const { view } = useRoute();
  const known = useCell(fleet);
  const shown = views.filter((one) => one !== 'fleet' || one === view || known);
  const counts: Partial<Record<View, number>> = {
    servers: useCell(servers).length,
    wire: useCell(arrivals).rows,
    problems: useCell(problems).filter(isAlarming).length,
    clients: useCell(clients).size,
    fleet: known?.nodes.length,
  };
  const here = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view, another link
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);
  return (
    <nav className="nav" aria-label="Views">
      {shown.map((one, at) => (
        <a
          key={one}
          ref={one === view ? here : undefined}
          href={lastAddressOf(one)}
          aria-current={one === view ? 'page' : undefined}
          title={`Key ${keyOf(at)}`}
        >
          <span>{titles[one]}</span>
          {counts[one] ? (
            <span className={one === 'problems' ? 'count bad' : 'count'}>{compact(counts[one])}</span>
          ) : null}
        </a>
      ))}
    </nav>
  );
}

function compact(count: number): string {
  return count < 10_000 ? count.toLocaleString('en') : `${Math.floor(count / 1000)}k`;
}
