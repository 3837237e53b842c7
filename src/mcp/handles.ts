// A handle is an identifier that names its owner beside the id that the owner knows: a host that passes an id on to its client makes a
// handle of it, and sends the request that brings it back to that owner, without a table. Handles nest.
//
// The owner in a handle is not protected: a client that changes it reaches another owner, which does not know the id. So an id must be
// one that cannot be guessed, and its owner checks whose it is.

const MARK = 'standpipe:';

export interface Handle {
  readonly owner: string;
  readonly id: string;
}

export function handle(owner: string, id: string): string {
  return `${MARK}${encodeURIComponent(owner)}/${id}`;
}

/** Undefined where the text is not a handle, whatever a peer has sent. */
export function readHandle(text: unknown): Handle | undefined {
  if (typeof text !== 'string' || !text.startsWith(MARK)) return undefined;
  const slash = text.indexOf('/', MARK.length);
  if (slash < 0) return undefined;
  try {
    return { owner: decodeURIComponent(text.slice(MARK.length, slash)), id: text.slice(slash + 1) };
  } catch {
    return undefined;
  }
}
