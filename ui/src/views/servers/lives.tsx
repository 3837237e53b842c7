// The process runs of a server, or the connections to a remote server, newest first.

import type { Life } from '../../../../src/app/inspector/api.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { addressOf } from '../../route.ts';
import { wallTime } from '../../state/inspected.ts';
import { clockTime, duration, latency, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { StderrTail } from './last-exit-note.tsx';

const SHOWN = 50;

export function Lives({ server, lives }: { server: string; lives: Life[] }) {
  if (lives.length === 0) return null;
  const newestFirst = lives.slice(-SHOWN).reverse();
  const isRemote = lives.at(-1)?.remote !== undefined;
  const probes = lives.filter(({ probe }) => probe).length;
  return (
    <details className="lives" open={lives.length > 1 && lives.length < 4}>
      <summary>
        {isRemote ? plural(lives.length, 'connection') : plural(lives.length, 'process run')}
        {probes > 0 && `, ${probes} of them ended at the question for the revision`}
      </summary>
      <ScrollRegion
        className="table-scroll"
        label={`${isRemote ? 'Connections' : 'Process runs'} of ${visibleLine(server)}`}
      >
        <table>
          <thead>
            <tr>
              <th scope="col" className="right">
                #
              </th>
              <th scope="col">{isRemote ? 'session' : 'pid'}</th>
              <th scope="col">started</th>
              <th scope="col">ready after</th>
              <th scope="col">lasted</th>
              <th scope="col">end</th>
              <th scope="col">{isRemote ? 'HTTP requests' : 'stderr'}</th>
            </tr>
          </thead>
          <tbody>
            {newestFirst.map((life) => (
              <tr key={life.life}>
                <td className="right">{life.life}</td>
                <td>{life.remote?.session ?? life.pid ?? '—'}</td>
                <td>{clockTime(wallTime(life.startedAtMs))}</td>
                <td>{life.readyAtMs === undefined ? 'never' : latency(life.readyAtMs - life.startedAtMs)}</td>
                <td>{life.endedAtMs === undefined ? '' : duration(life.endedAtMs - life.startedAtMs)}</td>
                <td className={failed(life) ? 'bad-text' : ''}>{endOf(life)}</td>
                <td>
                  {life.stderrTail ? (
                    <details>
                      <summary>tail</summary>
                      <StderrTail text={life.stderrTail} />
                      <a href={addressOf('stderr', { server, life: life.life })}>full stderr</a>
                    </details>
                  ) : (
                    (life.remote?.requests ?? '—')
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}

/** Returns false if the process had exited before the stop. */
function wasStopped(rung: string | undefined): boolean {
  return rung !== undefined && !rung.startsWith('already');
}

function failed({ endedAtMs, exitCode, signal, rung, remote }: Life): boolean {
  if (remote) return remote.lost !== undefined;
  return endedAtMs !== undefined && !wasStopped(rung) && (signal != null || (exitCode ?? 0) !== 0);
}

function endOf({ endedAtMs, exitCode, signal, rung, remote, probe }: Life): string {
  if (remote) return endedAtMs === undefined ? 'connected' : remote.lost === undefined ? 'closed' : 'lost';
  if (endedAtMs === undefined) return 'running';
  const how = signal ? `ended by ${signal}` : `exit code ${exitCode ?? 'unknown'}`;
  if (probe) return `${how} at server/discover`;
  return wasStopped(rung) ? `${how} (stopped by ${rung})` : how;
}
