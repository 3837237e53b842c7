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
    sent: (wire, id) => caller.sent?.(wire, id),
    askedBy: (id) => caller.askedBy?.(id),
    ...members,
  };
}
