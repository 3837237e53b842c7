import { useEffect, useRef } from 'react';
import { lastAddressOf, useRoute, type View, views } from '../route.ts';
import { useCell } from '../state/cell.ts';
import { arrivals, clients, isAlarming, problems, servers } from '../state/inspected.ts';

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
};

export function Navigation() {
  const { view } = useRoute();
  const counts: Partial<Record<View, number>> = {
    servers: useCell(servers).length,
    wire: useCell(arrivals).rows,
    problems: useCell(problems).filter(isAlarming).length,
    clients: useCell(clients).size,
  };
  const here = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view, another link
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);
  return (
    <nav className="nav" aria-label="Views">
      {views.map((one, at) => (
        <a
          key={one}
          ref={one === view ? here : undefined}
          href={lastAddressOf(one)}
          aria-current={one === view ? 'page' : undefined}
          title={`Key ${at + 1}`}
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
