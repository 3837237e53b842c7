import { useEffect, useRef } from 'react';
import { lastAddressOf, useRoute, type View, views } from '../route.ts';
import { useCell } from '../state/cell.ts';
import { arrivals, clients, fleet, isAlarming, onlyControls, problems, servers } from '../state/inspected.ts';
import { tasks, tasksVersion } from '../state/tasks.ts';

export const titles: Record<View, string> = {
  servers: 'Servers',
  wire: 'Wire',
  tools: 'Tools',
  resources: 'Resources',
  prompts: 'Prompts',
  tasks: 'Tasks',
  latency: 'Latency',
  stderr: 'stderr',
  problems: 'Problems',
  clients: 'Clients',
  fleet: 'Fleet',
  logs: 'Logs',
};

const letters: Partial<Record<View, string>> = { tasks: 't', logs: 'l' };
const numbered = views.filter((view) => letters[view] === undefined);

/** The tenth view has the key 0. Views that most servers do not need have a letter, so that the keys of the others stay. */
export const keyOf = (view: View) => letters[view] ?? String((numbered.indexOf(view) + 1) % 10);

/** Logs are beside stderr. */
const ordered = views.flatMap((view): View[] =>
  view === 'logs' ? [] : view === 'stderr' ? ['stderr', 'logs'] : [view],
);

export function Navigation() {
  const { view } = useRoute();
  const known = useCell(fleet);
  useCell(tasksVersion);
  const needed = { fleet: known !== undefined, tasks: tasks.size > 0 };
  const shown = ordered.filter((one) => one === view || (needed[one as keyof typeof needed] ?? true));
  const counts: Partial<Record<View, number>> = {
    servers: useCell(servers).length,
    wire: useCell(arrivals).rows,
    problems: useCell(problems).filter(isAlarming).length,
    tasks: tasks.size,
    clients: [...useCell(clients).values()].filter((client) => !onlyControls(client)).length,
    fleet: known?.nodes.length,
  };
  const here = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the view changes
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view]);
  return (
    <nav className="nav" aria-label="Views">
      {shown.map((one) => (
        <a
          key={one}
          ref={one === view ? here : undefined}
          href={lastAddressOf(one)}
          aria-current={one === view ? 'page' : undefined}
          title={`Key ${keyOf(one)}`}
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
