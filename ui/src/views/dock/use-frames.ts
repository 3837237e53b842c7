// The events of a call, read again while it runs.

import { useEffect, useState } from 'react';
import type { FramesReport } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { useThrottled } from '../../parts/throttled.ts';
import { useCell } from '../../state/cell.ts';
import { arrivals } from '../../state/inspected.ts';

/** A call of the page, or the recorded request that an event belongs to. */
export type FramesOf = { call: string; isOver: boolean } | { seq: number };

const ASK_EVERY_MS = 200;

export function useFrames(of: FramesOf | undefined, isWanted: boolean): FramesReport | undefined {
  const rows = useThrottled(useCell(arrivals).rows, ASK_EVERY_MS);
  const [known, setKnown] = useState<{ key: string; report: FramesReport }>();
  const key = of === undefined ? '' : 'call' in of ? `call ${of.call}` : `event ${of.seq}`;
  const isOver = of !== undefined && 'call' in of && of.isOver;
  // The frames of a call that is over do not change.
  const version = isOver ? -1 : rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads when rows arrive
  useEffect(() => {
    if (!of || !isWanted) return;
    let current = true;
    const asked = 'call' in of ? api.framesOfCall(of.call) : api.framesOfEvent(of.seq);
    asked.then(
      (report) => current && setKnown({ key, report }),
      () => current && setKnown(undefined), // the call was dropped, or the connection is lost, which the header shows
    );
    return () => {
      current = false;
    };
  }, [key, isOver, version, isWanted]);
  return known?.key === key ? known.report : undefined;
}
