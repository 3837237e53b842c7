// Start, stop, restart, with the result announced. Asks first if calls are running.

import { useState } from 'react';
import { api } from '../../api/request.ts';
import type { ServerStatus } from '../../api/shapes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { announce } from '../../state/announce.ts';
import { calls } from '../../state/calls.ts';
import { latency, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

type Action = 'start' | 'stop' | 'restart';

const done: Record<Action, string> = { start: 'started', stop: 'stopped', restart: 'restarted' };

export function ServerActions({ name, state }: { name: string; state: ServerStatus['state'] }) {
  const [busy, setBusy] = useState<Action>();
  const [asking, setAsking] = useState<Action>();
  const running = () => calls.read().filter((call) => call.server === name && call.state === 'running').length;

  const act = async (action: Action) => {
    setAsking(undefined);
    setBusy(action);
    try {
      const { ok, error } = await api.act(name, action);
      announce(ok ? `${name} ${done[action]}` : `${name} was not ${done[action]}: ${error}`, ok ? 'good' : 'bad');
    } catch (error) {
      announce(`${name} was not ${done[action]}: ${(error as Error).message}`, 'bad');
    } finally {
      setBusy(undefined);
    }
  };
  const wish = (action: Action) => (action !== 'start' && running() > 0 ? setAsking(action) : act(action));
  const button = (action: Action, title: string) => (
    <button type="button" disabled={busy !== undefined} onClick={() => wish(action)} aria-label={`${title} ${name}`}>
      {busy === action ? `${title}…` : title}
    </button>
  );

  const down = state === 'stopped' || state === 'failed' || state === 'disabled';
  return (
    <div className="buttons">
      {down ? button('start', 'Start') : button('restart', 'Restart')}
      {!down && button('stop', 'Stop')}
      {state === 'ready' && <Ping name={name} />}
      {asking && (
        <Dialog
          title={`${asking === 'stop' ? 'Stop' : 'Restart'} ${visibleLine(name)}?`}
          onClose={() => setAsking(undefined)}
        >
          <p>{plural(running(), 'call is', 'calls are')} running on this server and will not be answered.</p>
          <div className="buttons end">
            <button type="button" onClick={() => setAsking(undefined)}>
              Leave it running
            </button>
            <button type="button" className="danger" onClick={() => act(asking)}>
              {asking === 'stop' ? 'Stop it' : 'Restart it'}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Ping({ name }: { name: string }) {
  const [busy, setBusy] = useState(false);
  const ping = async () => {
    setBusy(true);
    try {
      announce(`${name} answered the ping after ${latency((await api.ping(name)).ms)}`, 'good');
    } catch (error) {
      announce(`${name} did not answer the ping: ${(error as Error).message}`, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" disabled={busy} aria-label={`Ping ${name}`} onClick={ping}>
      Ping
    </button>
  );
}
