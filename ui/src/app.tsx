// The frame around the views: navigation, the inspected source, and the state of the connection.

import { lazy, Suspense, useEffect, useState } from 'react';
import { Announcements } from './parts/announcements.tsx';
import { focusSearch, useKeys } from './parts/keyboard.ts';
import { goTo, lastAddressOf, useRoute, views } from './route.ts';
import { Header } from './shell/header.tsx';
import { KeyHelp } from './shell/key-help.tsx';
import { keyOf, Navigation, titles } from './shell/navigation.tsx';
import { NoAccess } from './shell/no-access.tsx';
import { useCell } from './state/cell.ts';
import { connection, source } from './state/inspected.ts';
import { resent } from './state/resend.ts';
import { toggleTheme } from './state/theme.ts';
import { visibleLine } from './text/visible.ts';
import { QuestionDialog } from './views/questions/question-dialog.tsx';
import { ServersView } from './views/servers/servers-view.tsx';
import { WireView } from './views/wire/wire-view.tsx';

const OffersView = lazy(() => import('./views/offers/offers-view.tsx'));
const TasksView = lazy(() => import('./views/tasks/tasks-view.tsx'));
const LatencyView = lazy(() => import('./views/latency/latency-view.tsx'));
const StderrView = lazy(() => import('./views/stderr/stderr-view.tsx'));
const LogsView = lazy(() => import('./views/logs/logs-view.tsx'));
const ClientsView = lazy(() => import('./views/clients/clients-view.tsx'));
const ResendDialog = lazy(() => import('./views/resend/resend-dialog.tsx'));
const FleetView = lazy(() => import('./views/fleet/fleet-view.tsx'));
const ProblemsView = lazy(() => import('./views/problems/problems-view.tsx'));

export function App() {
  const { view, unknown } = useRoute();
  const { state } = useCell(connection);
  const known = useCell(source);
  const isResending = useCell(resent) !== undefined;
  const [help, setHelp] = useState(false);
  useKeys([
    ['?', () => setHelp(true)],
    ['/', focusSearch],
    ['T', toggleTheme],
    ...views.map((one) => [keyOf(one), () => goTo(lastAddressOf(one))] as const),
  ]);
  useEffect(() => {
    document.title = `${titles[view]} · ${known?.title ?? 'Standpipe'} · Inspector`;
  }, [view, known]);

  if (state === 'refused' && !known) return <NoAccess />;
  const stale = state === 'gone' || state === 'refused';
  return (
    <div className={stale ? 'app stale' : 'app'}>
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Header onHelp={() => setHelp(true)} />
      <Navigation />
      <main id="main" tabIndex={-1} className={`view view-${view}`}>
        <Suspense fallback={<p className="muted pad">Loading…</p>}>
          {unknown !== undefined && (
            <p className="note bad unknown-link" role="alert">
              There is no view named “{visibleLine(unknown)}”. The servers are shown instead.
            </p>
          )}
          {view === 'servers' && <ServersView />}
          {view === 'wire' && <WireView />}
          {(view === 'tools' || view === 'resources' || view === 'prompts') && <OffersView key={view} kind={view} />}
          {view === 'tasks' && <TasksView />}
          {view === 'latency' && <LatencyView />}
          {view === 'stderr' && <StderrView />}
          {view === 'logs' && <LogsView />}
          {view === 'problems' && <ProblemsView />}
          {view === 'clients' && <ClientsView />}
          {view === 'fleet' && <FleetView />}
        </Suspense>
      </main>
      <QuestionDialog />
      {isResending && (
        <Suspense>
          <ResendDialog />
        </Suspense>
      )}
      {help && <KeyHelp onClose={() => setHelp(false)} />}
      <Announcements />
    </div>
  );
}
