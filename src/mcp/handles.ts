// A handle is an identifier that contains its owner and the id that the owner assigned. A host that passes an id on to
// its client turns it into a handle, and routes the request that returns it to that owner, without a table. Handles
// nest.
//
// The owner in a handle is not protected: a client that changes it reaches another owner, which does not have the id.
// Therefore ids must not be guessable, and the owner checks which client an id belongs to. If the owner cannot do that,
// the owner in the handle is a signature (`extensions/tasks/signed-ids.ts`).

const MARK = 'standpipe:';

export interface Handle {
  readonly owner: string;
  readonly id: string;
}

export function handle(owner: string, id: string): string {
  return `${MARK}${encodeURIComponent(owner)}/${id}`;
}

/** Returns undefined for any value that is not a handle. */
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

/** The id that the innermost owner assigned. */
export function innermostId(id: string): string {
  const known = readHandle(id);
  return known ? innermostId(known.id) : id;
}
