// Data that a view loads, and loads again whenever its key changes. The newest request counts.

import { useEffect, useState } from 'react';

export function useLoaded<T>(
  load: () => Promise<T>,
  key: string,
): { page: T | undefined; failure: string | undefined } {
  const [page, setPage] = useState<T>();
  const [failure, setFailure] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for everything that `load` depends on
  useEffect(() => {
    let current = true;
    load().then(
      (found) => {
        if (!current) return;
        setPage(found);
        setFailure(undefined);
      },
      (error: Error) => current && setFailure(error.message),
    );
    return () => {
      current = false;
    };
  }, [key]);
  return { page, failure };
}
