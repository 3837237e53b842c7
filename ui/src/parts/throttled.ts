// A value that changes often, updated at most once every `ms`, and at most `ms` late.

import { useEffect, useRef, useState } from 'react';

export function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  latest.current = value;
  useEffect(() => {
    if (timer.current !== undefined || Object.is(value, shown)) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, ms);
  }, [value, shown, ms]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}
