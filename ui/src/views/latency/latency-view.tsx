// Latency by method and tool, and over time.

import { useEffect, useState } from 'react';
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
        <span className="muted">time from request to response, measured at the pipe</span>
      </div>
      <div className="scroll pad">
        {failure && !report && <p className="note bad">{failure}</p>}
        {report && report.rows.length === 0 && <Empty title="No responses yet" />}
        {report && report.rows.length > 0 && (
          <>
            <LatencyPlot points={report.points} chosen={chosen} />
            <LatencyTable rows={report.rows} chosen={chosen} onChoose={setChosen} />
          </>
        )}
      </div>
    </>
  );
}
