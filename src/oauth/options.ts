// What a config or a caller says about the authorization at a server.

export interface OAuthOptions {
  /** Of a client that was registered at the authorization server by hand. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Asked for in addition to those that the server names. */
  scopes?: readonly string[] | undefined;
  /** The https URL of a client-id metadata document, which is the client id where the authorization server supports it. */
  clientMetadataUrl?: string | undefined;
  /** Of the redirect on this machine, where the client was registered with a fixed one. A free port unless given. */
  callbackPort?: number | undefined;
  /** `client_credentials`: the client logs in by itself, without a person. Needs `clientId` and a secret or a key. */
  grant?: 'authorization_code' | 'client_credentials' | undefined;
  /** PEM (PKCS #8). With `client_credentials`: the client proves who it is with a signed JWT. */
  privateKey?: string | undefined;
  /** Of the key. ES256 unless given. */
  algorithm?: string | undefined;
}
