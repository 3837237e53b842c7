// Details of events, requested when they are shown. The newest are cached and stay available when the backend disconnects.

import { useEffect, useState } from 'react';
import type { EventDetail } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';

const KEPT = 64;
const MAX_KEPT_CHARACTERS = 1_000_000;
const PAUSE_MS = 40;
const kept = new Map<number, EventDetail>();

export async function loadDetail(seq: number, signal?: AbortSignal): Promise<EventDetail> {
  const known = kept.get(seq);
  if (known) return known;
  const detail = await api.event(seq, signal);
  if (detail.base64.length <= MAX_KEPT_CHARACTERS) {
    kept.set(seq, detail);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  }
  return detail;
}

export type Loading = { seq: number; detail?: EventDetail; failure?: string };

/** Delays the request, so that rows passed while a key is held down are not loaded. */
export function useDetail(seq: number): Loading {
  const [loading, setLoading] = useState<Loading>({ seq });
  useEffect(() => {
    const known = kept.get(seq);
    if (known) return setLoading({ seq, detail: known });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      loadDetail(seq, stop.signal).then(
        (detail) => stop.signal.aborted || setLoading({ seq, detail }),
        (error: Error) => stop.signal.aborted || setLoading({ seq, failure: error.message }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [seq]);
  return loading.seq === seq ? loading : { seq };
}
