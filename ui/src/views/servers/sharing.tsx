// The share policy of a server, its processes, and the routing of its questions to clients.

import type { ServerStatus } from '../../api/shapes.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { duration, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

const policies: Record<ServerStatus['share'], string> = {
  all: 'one process for all clients',
  principal: 'one process per principal',
  client: 'one process per client',
  call: 'one process per call',
};

export function Sharing({ status: { name, share, processes, waiting } }: { status: ServerStatus }) {
  // A host of an earlier version does not report the policy.
  if (share === undefined || (share === 'all' && processes.length <= 1)) return null;
  return (
    <details className="lives" open={processes.length > 0 && processes.length < 6}>
      <summary>
        {policies[share]}: {plural(processes.length, 'process', 'processes')}
        {waiting > 0 && `, ${plural(waiting, 'request waits', 'requests wait')} for a process`}
      </summary>
      {processes.length > 0 && (
        <ScrollRegion className="table-scroll" label={`Processes of ${visibleLine(name)}`}>
          <table>
            <thead>
              <tr>
                {['for', 'state', 'pid', 'run', 'uptime', 'calls', 'errors'].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {processes.map(({ owner, state, pid, generation, uptimeMs, calls, errors }) => (
                <tr key={`${owner} ${generation}`}>
                  <td className="cut">{visibleLine(owner)}</td>
                  <td>{state}</td>
                  <td>{pid ?? '—'}</td>
                  <td>{generation}</td>
                  <td>{state === 'ready' ? duration(uptimeMs) : '—'}</td>
                  <td>{calls.toLocaleString('en')}</td>
                  <td className={errors > 0 ? 'bad-text' : ''}>{errors.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </details>
  );
}

/** Shown only for servers with questions; most have none. */
export function Questions({ status: { questions } }: { status: ServerStatus }) {
  if (!questions) return null;
  const { attribution, alone, refused, unannounced = [] } = questions;
  if (alone.length + refused + unannounced.length === 0) return null;
  return (
    <p className={refused > 0 ? 'note bad' : 'note'}>
      Questions{' '}
      {attribution === 'result' ? 'are part of results' : 'go to the client whose call is the only one that may ask'}.
      {alone.length > 0 && ` Runs for one client at a time: ${alone.map(shownName).join(', ')}.`}
      {refused > 0 &&
        ` ${plural(refused, 'question was', 'questions were')} refused, because the client could not be determined.`}
      {unannounced.length > 0 &&
        ` The process was started before a client with ${unannounced.join(', ')} connected. Restart the server to declare this to it.`}
    </p>
  );
}

function shownName(name: string): string {
  return name === '*' ? 'everything' : visibleLine(name);
}
