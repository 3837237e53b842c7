// Who is behind a client, as its door has verified, and what that one may do.

export interface Principal {
  readonly name: string;
  /** The servers that it may use. All, where absent. */
  readonly servers?: readonly string[] | undefined;
  /** The tools that it may use, as `tool` or `server/tool`. All, where absent. */
  readonly tools?: readonly string[] | undefined;
  readonly quotas?: Quotas | undefined;
  /** When its token expires, in milliseconds since 1970. Streams that are open end then. */
  readonly expiresMs?: number | undefined;
  /** Its rights are the scopes of its token: with another token it could have more. */
  readonly isScoped?: boolean | undefined;
}

/** Limits of one principal, over all its clients. The limits of the door apply as well. */
export interface Quotas {
  /** Requests that run or wait at a time. */
  inFlight?: number | undefined;
  requestsPerMinute?: number | undefined;
  sessions?: number | undefined;
  /** Event streams that are open at a time. */
  streams?: number | undefined;
  /** Bytes of requests that run or wait, and of answers that were not read yet. */
  waitingBytes?: number | undefined;
}
