// Parses the `WWW-Authenticate` header of a refusal.

export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  /** Scopes that the request needs, separated by spaces. */
  readonly scope?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * Returns an empty challenge for an unreadable header. Challenges of other schemes may precede the Bearer challenge.
 */
export async function readChallenge(header: string | undefined): Promise<Challenge> {
  const start = header?.search(/\bBearer\b/i) ?? -1;
  if (header === undefined || start < 0) return {};
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  return extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': header.slice(start) } }));
}
