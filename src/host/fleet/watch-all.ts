// Combines several watches of tables.

/** Resolves to the functions that end them when all have begun. If one fails, all are ended. */
export async function watchAll(...watches: readonly Promise<() => void>[]): Promise<(() => void)[]> {
  const settled = await Promise.allSettled(watches);
  const stops = settled.flatMap((watch) => (watch.status === 'fulfilled' ? [watch.value] : []));
  const failed = settled.find((watch) => watch.status === 'rejected');
  if (!failed) return stops;
  for (const stop of stops) stop();
  throw failed.reason;
}
