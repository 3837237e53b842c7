// What `WWW-Authenticate` of a refusal says.

export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  /** Scopes that the request needs, separated by spaces. */
  readonly scope?: string | undefined;
  readonly error?: string | undefined;
}

/** Nothing of what cannot be read. There may be challenges of other schemes before the one for tokens. */
export async function readChallenge(header: string | undefined): Promise<Challenge> {
  const start = header?.search(/\bBearer\b/i) ?? -1;
  if (header === undefined || start < 0) return {};
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  return extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': header.slice(start) } }));
}
