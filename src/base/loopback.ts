// Whether a URL leads to this machine. The URL parser normalises every address to one form.

/** `localhost` is the only host name that counts: others may resolve to any address. */
export function isLoopbackUrl({ hostname }: { hostname: string }): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
