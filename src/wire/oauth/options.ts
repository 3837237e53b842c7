// Options for the authorization at a server, from a config or a caller.

export interface OAuthOptions {
  /** Id of a client that was registered manually at the authorization server. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Scopes to request in addition to those that the server names. */
  scopes?: readonly string[] | undefined;
  /** The https URL of a client-id metadata document. Used as the client id if the authorization server supports it. */
  clientMetadataUrl?: string | undefined;
  /** Port of the local redirect, if the client was registered with a fixed one. Default: a free port. */
  callbackPort?: number | undefined;
  /** `client_credentials`: the client logs in by itself, without a person. Needs `clientId` and a secret or a key. */
  grant?: 'authorization_code' | 'client_credentials' | undefined;
  /** PEM (PKCS #8). With `client_credentials`, the client authenticates with a JWT signed with this key. */
  privateKey?: string | undefined;
  /** Algorithm of the key. Default: ES256. */
  algorithm?: string | undefined;
}
