// Latency by method and tool, and over time.

import { useEffect, useMemo, useState } from 'react';
import type { LatencyReport, LatencyRow } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Empty } from '../../parts/empty.tsx';
import { useThrottled } from '../../parts/throttled.ts';
import { useCell } from '../../state/cell.ts';
import { arrivals } from '../../state/inspected.ts';
import { LatencyPlot } from './latency-plot.tsx';
import { LatencyTable } from './latency-table.tsx';

const ASK_EVERY_MS = 500;

export default function LatencyView() {
  const answers = useThrottled(useCell(arrivals).answers, ASK_EVERY_MS);
  const [report, setReport] = useState<LatencyReport>();
  const [failure, setFailure] = useState<string>();
  const [chosen, setChosen] = useState<LatencyRow>();
  const [withAside, setWithAside] = useState(false);
  const aside = report?.rows.filter((row) => row.aside).length ?? 0;
  const wanted = ({ aside: isAside }: { aside?: true }) => withAside || !isAside;
  const rows = report?.rows.filter(wanted) ?? [];
  const points = useMemo(() => report?.points.filter((point) => withAside || !point.aside) ?? [], [report, withAside]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads when responses arrive
  useEffect(() => {
    let current = true;
    api.latency().then(
      (found) => current && setReport(found),
      (error: Error) => current && setFailure(error.message),
    );
    return () => {
      current = false;
    };
  }, [answers]);
  return (
    <>
      <div className="view-head">
        <h1>Latency</h1>
        <span className="muted">time from request to response, measured at the pipe, without waiting for a person</span>
        {aside > 0 && (
          <label className="check">
            <input type="checkbox" checked={withAside} onChange={(event) => setWithAside(event.target.checked)} />{' '}
            startup, questions and own lists
          </label>
        )}
      </div>
      <div className="scroll pad">
        {failure && !report && <p className="note bad">{failure}</p>}
        {report && rows.length === 0 && <Empty title="No responses yet" />}
        {report && rows.length > 0 && (
          <>
            <LatencyPlot points={points} read={report.points.length} total={report.total} chosen={chosen} />
            <LatencyTable rows={rows} chosen={chosen} onChoose={setChosen} />
          </>
        )}
      </div>
    </>
  );
}
