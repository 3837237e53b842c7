import type { InspectedServer } from '../../../../src/app/inspector/api.ts';
import type { ServerStatus } from '../../api/shapes.ts';
import { addressOf } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { canAct } from '../../state/inspected.ts';
import { latency } from '../../text/amounts.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { Fact } from './fact.tsx';
import { LastExitNote } from './last-exit-note.tsx';
import { Lives } from './lives.tsx';
import { RemoteFacts } from './remote-facts.tsx';
import { ServerAbout } from './server-about.tsx';
import { ServerActions } from './server-actions.tsx';
import { Questions, Sharing } from './sharing.tsx';
import { Uptime } from './uptime.tsx';

export function ServerCard({ server }: { server: InspectedServer }) {
  const { name, status, lives } = server;
  const acts = useCell(canAct);
  const life = lives.at(-1);
  const remote = life?.remote;
  const running = remote ? 'connected' : 'running';
  const state = status?.state ?? (life && life.endedAtMs === undefined ? running : 'ended');
  const readyAfter = life?.readyAtMs === undefined ? undefined : life.readyAtMs - life.startedAtMs;
  const title = status?.serverInfo?.title ?? status?.serverInfo?.name;
  return (
    <section className={`card server state-${state}`} aria-label={visibleLine(name)}>
      <header className="card-head">
        <span className={`state ${state}`}>
          <span className="dot" aria-hidden="true" />
          {state}
        </span>
        <h2 className="cut">{visibleLine(name)}</h2>
        {status && <span className="tag">{protocolOf(status)}</span>}
        {title && title !== name && (
          <span className="muted cut">
            {visibleLine(title)} {visibleLine(status?.serverInfo?.version ?? '')}
          </span>
        )}
        {acts && status && <ServerActions name={name} state={status.state} />}
      </header>
      {status && state !== 'ready' && <Reason status={status} />}
      <dl className="facts">
        {!remote && (
          <Fact name="pid" value={status?.pid ?? (life?.endedAtMs === undefined ? life?.pid : undefined) ?? '—'} />
        )}
        <Fact name="uptime" value={<Uptime server={server} />} />
        <Fact name="ready after" value={readyAfter === undefined ? '—' : latency(readyAfter)} />
        <Fact name={remote ? 'reconnects' : 'restarts'} value={status?.restarts ?? Math.max(0, lives.length - 1)} />
        {status && <Fact name="calls" value={status.calls} />}
        {status && <Fact name="errors" value={status.errors} bad={status.errors > 0} />}
        {status && status.questions.refused > 0 && (
          <Fact name="questions refused" value={status.questions.refused} bad />
        )}
      </dl>
      {remote && <RemoteFacts name={name} remote={remote} tellsFailure={status?.lastExit === undefined} />}
      {life?.command && (
        <p className="command" title="Command line">
          <span aria-hidden="true">$ </span>
          {visibleLine(life.command)}
        </p>
      )}
      {status && tellsMore(status) && <p className="note bad">{visible(status.lastError!)}</p>}
      {status?.lastExit && (
        <LastExitNote
          exit={status.lastExit}
          open={state === 'failed' || state === 'backoff' || state === 'unreachable'}
          isRemote={remote !== undefined}
        />
      )}
      {status && <Sharing status={status} />}
      {status && <Questions status={status} />}
      <ServerAbout name={name} canSet={acts && state === 'ready'} />
      <Lives server={name} lives={lives} />
      <footer className="card-links">
        <a href={addressOf('wire', { server: name })}>Wire</a>
        <a href={addressOf('tools', { server: name })}>Tools</a>
        {!remote && <a href={addressOf('stderr', { server: name })}>stderr</a>}
        <a href={addressOf('logs', { server: name })}>Logs</a>
      </footer>
    </section>
  );
}

/** The reason is not shown for a server that exited: its last exit is shown below. */
function Reason({ status: { reason, lastExit } }: { status: ServerStatus }) {
  const rest = lastExit ? reason.replace(lastExit.message, '').replace(/^\s*—\s*/, '') : reason;
  return rest === '' ? null : <p className="reason">{visible(rest)}</p>;
}

/** The revision of LiteMCP begins with its name. */
function protocolOf({ protocol, revision }: ServerStatus): string {
  if (protocol === 'litemcp') return visibleLine(revision ?? 'LiteMCP');
  return `MCP ${visibleLine(revision ?? '')}`.trim();
}

/** Returns false if the last error repeats the reason or the last exit. */
function tellsMore({ lastError, reason, lastExit }: ServerStatus): boolean {
  return lastError !== undefined && !reason.includes(lastError) && !lastExit?.message.includes(lastError);
}
