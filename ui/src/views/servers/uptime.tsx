// The uptime of a server. It stops while the backend cannot be reached.

import { useEffect, useState } from 'react';
import type { InspectedServer } from '../../../../src/app/inspector/api.ts';
import { useCell } from '../../state/cell.ts';
import { connection, serversAtMs } from '../../state/inspected.ts';
import { duration } from '../../text/amounts.ts';

export function Uptime({ server: { status, lives } }: { server: InspectedServer }) {
  const cameAt = useCell(serversAtMs);
  const { state } = useCell(connection);
  const [now, setNow] = useState(performance.now());
  const isThere = status !== undefined && (status.pid !== null || lives.at(-1)?.remote !== undefined);
  const up = isThere && status.state === 'ready';
  const ticking = up && state === 'live';
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  if (up) return duration(status.uptimeMs + Math.max(0, now - cameAt));
  const life = lives.at(-1);
  if (status || !life) return '—';
  return life.endedAtMs === undefined ? 'running' : duration(life.endedAtMs - life.startedAtMs);
}
