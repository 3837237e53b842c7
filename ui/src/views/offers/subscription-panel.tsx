// Subscribes to a resource, and lists its updates, newest first.

import { useState } from 'react';
import { api } from '../../api/request.ts';
import { addressOf } from '../../route.ts';
import { announce } from '../../state/announce.ts';
import { useCell } from '../../state/cell.ts';
import { wallTime } from '../../state/inspected.ts';
import { putSubscription, subscriptions } from '../../state/subscriptions.ts';
import { clockTime, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

interface Props {
  server: string;
  uri: string;
  onRead(): void;
}

export function SubscriptionPanel({ server, uri, onRead }: Props) {
  const [busy, setBusy] = useState(false);
  const own = useCell(subscriptions).find((each) => each.server === server && each.uri === uri);
  const isActive = own?.state === 'active' || own?.state === 'starting';
  const toggle = async () => {
    setBusy(true);
    try {
      if (isActive) {
        await api.unsubscribe(own.id);
        putSubscription({ ...own, state: 'stopped' });
      } else putSubscription(await api.subscribe(server, uri));
    } catch (error) {
      announce(`${isActive ? 'Not ended' : 'Not subscribed'}: ${(error as Error).message}`, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="subscription" aria-label="Subscription">
      <div className="buttons">
        <button type="button" aria-pressed={isActive} disabled={busy} onClick={toggle}>
          {isActive ? 'Subscribed' : 'Subscribe'}
        </button>
        <span className="muted" role="status">
          {own && plural(own.count, 'update')}
          {own?.state === 'ended' && `, ended by the ${own.ended}`}
        </span>
        {own && own.count > 0 && (
          <button type="button" onClick={onRead}>
            Read again
          </button>
        )}
        {own && (
          <a href={addressOf('wire', { server, method: 'notifications/resources/updated' })}>Updates on the wire</a>
        )}
      </div>
      {own && own.updates.length > 0 && (
        <ul className="updates" aria-label="Updates">
          {[...own.updates].reverse().map(({ atMs, uri: changed }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: updates may be equal
            <li key={at}>
              <span className="mono">{clockTime(wallTime(atMs))}</span> <code>{visibleLine(changed)}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
