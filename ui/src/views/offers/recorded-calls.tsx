// The calls of a tool that are on the wire, whoever made them, newest first: for servers that can only be watched.

import type { EventRow } from '../../../../src/app/inspector/api.ts';
import { useThrottled } from '../../parts/throttled.ts';
import { addressOf } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { arrivals, columns, wallTime } from '../../state/inspected.ts';
import { clockTime, latency } from '../../text/amounts.ts';
import { shortMessage } from '../../text/short-message.ts';
import { visibleLine } from '../../text/visible.ts';

interface Props {
  server: string;
  tool: string;
  shown: boolean;
  chosen: number | undefined;
  onChoose(seq: number | undefined): void;
}

const MOST = 50;
const LOOK_EVERY_MS = 500;

export function RecordedCalls(props: Props) {
  return props.shown ? <Calls {...props} /> : null;
}

function Calls({ server, tool, chosen, onChoose }: Props) {
  useThrottled(useCell(arrivals).rows, LOOK_EVERY_MS);
  const rows = newestCalls(server, tool);
  if (rows.length === 0) return null;
  return (
    <section className="history" aria-label="Recorded calls">
      <h3>Recorded calls</h3>
      <ul>
        {rows.map((row) => (
          <li key={row.seq}>
            <button
              type="button"
              className="history-show"
              aria-pressed={row.seq === chosen}
              onClick={() => onChoose(row.seq === chosen ? undefined : row.seq)}
            >
              <span className={`outcome ${row.error === undefined ? 'good' : 'bad'}`}>
                {row.error === undefined ? (row.pairSeq === undefined ? 'pending' : 'done') : 'failed'}
              </span>
              <span className="mono">{clockTime(wallTime(row.atMs))}</span>
              <span className="mono muted">{latency(row.latencyMs)}</span>
              <span className="cut mono">{visibleLine(shortMessage(row.summary))}</span>
            </button>
            <a href={addressOf('wire', { event: row.seq })}>Wire</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function newestCalls(server: string, tool: string): EventRow[] {
  const { names, codes, numbers } = columns;
  const [serverCode, toolCode] = [columns.servers.number(server), columns.tools.number(tool)];
  const found: EventRow[] = [];
  for (let index = columns.count - 1; index >= 0 && found.length < MOST; index--) {
    if (names.tool[index] !== toolCode || names.server[index] !== serverCode) continue;
    const row = codes.kind[index] && numbers.seq[index]! > 0 ? columns.row(index) : undefined;
    if (row?.type === 'request') found.push(row);
  }
  return found;
}
