// A caller that delegates to another one, with some members replaced.

import type { Caller } from '../../service.ts';

export function passing(caller: Caller, members: Partial<Caller>): Caller {
  return {
    client: caller.client,
    request: caller.request,
    requestBytes: caller.requestBytes,
    asksInResult: caller.asksInResult,
    signal: caller.signal,
    options: caller.options,
    wantsProgress: caller.wantsProgress,
    progressUntil: caller.progressUntil,
    progress: (params) => caller.progress(params),
    continues: () => caller.continues?.(),
    log: (params) => caller.log(params),
    ask: (question, name, signal) => caller.ask(question, name, signal),
    keeps: (bytes) => caller.keeps?.(bytes),
    /** Read for each request, because a message that continues the call has another link. */
    get link() {
      return caller.link;
    },
    ...members,
  };
}
