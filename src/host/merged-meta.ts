// The `_meta` members of all servers as one.

/** Of an entry: the server that has it, its name there, and which others have the same name. */
export const OFFERED_BY = 'dev.standpipe/offer';
/** Of a list: the servers that could not be asked. */
export const FAILED = 'dev.standpipe/failed';
/** Of a request for a list: ask only servers that are ready. Otherwise those that do not run are started. */
export const READY_ONLY = 'dev.standpipe/readyOnly';
