// The time since an event of the flow; a dash for a recording, and while the backend cannot be reached.

import { useEffect, useState } from 'react';
import { useCell } from '../state/cell.ts';
import { connection, wallTime } from '../state/inspected.ts';
import { duration } from '../text/amounts.ts';

export function Elapsed({ startMs }: { startMs: number }) {
  const isLive = useCell(connection).state === 'live';
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isLive]);
  return isLive ? duration(now - wallTime(startMs).getTime()) : '—';
}
