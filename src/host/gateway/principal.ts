// The verified identity behind a client and its rights.

export interface Principal {
  readonly name: string;
  /** Names of the servers that the principal may use. Default: all. */
  readonly servers?: readonly string[] | undefined;
  /** Tools that the principal may use, as `tool` or `server/tool`. Default: all. */
  readonly tools?: readonly string[] | undefined;
  readonly quotas?: Quotas | undefined;
  /** Expiry of the token in milliseconds since 1970. Open streams end then. */
  readonly expiresMs?: number | undefined;
  /** True if the rights come from token scopes, so that another token could grant more. */
  readonly isScoped?: boolean | undefined;
}

/** Limits of one principal over all its clients. The gateway's limits apply as well. */
export interface Quotas {
  /** Running and queued requests. */
  inFlight?: number | undefined;
  requestsPerMinute?: number | undefined;
  sessions?: number | undefined;
  /** Open event streams. */
  streams?: number | undefined;
  /** Bytes of running and queued requests plus unread answers. */
  waitingBytes?: number | undefined;
}
