// Whether a URL leads to this machine. The parser of URLs writes every address in one form.

/** A name other than `localhost` may lead anywhere. */
export function isLoopbackUrl({ hostname }: { hostname: string }): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
