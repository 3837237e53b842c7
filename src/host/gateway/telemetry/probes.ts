// Paths for gateway operators: `/healthz` answers while the process runs, `/readyz` while requests are accepted. They reveal nothing about
// servers or clients, and need no token.

/** `notReady`: the reason why requests are refused now. Undefined for other paths. */
export function probe(
  path: string,
  notReady: (() => string | undefined) | undefined,
): { status: number; text: string } | undefined {
  if (path === '/healthz') return { status: 200, text: 'ok\n' };
  if (path !== '/readyz') return undefined;
  const why = notReady?.();
  return why === undefined ? { status: 200, text: 'ready\n' } : { status: 503, text: `${why}\n` };
}
