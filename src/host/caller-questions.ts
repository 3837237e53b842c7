// Questions of servers, put to the program that made the call. A server does not say which call a question belongs to: so
// the caller is asked only while it is the only one with a call open at that server. Otherwise, and where the caller has no
// person to ask, the question goes where it went before, and a refusal is reported to the callers.

import type { InputContext, InputHandlers } from '../mcp/client/options.ts';
import type { ElicitParams, ElicitResult } from '../mcp/types.ts';

export interface Unanswered {
  server: string;
  message: string;
  action: ElicitResult['action'];
}

export interface Caller {
  /** Absent where nobody sits there. */
  ask: ((params: ElicitParams, context: InputContext) => Promise<ElicitResult>) | undefined;
  /** A question was not accepted, by whoever was asked in its place. */
  unanswered(question: Unanswered): void;
}

export class CallerQuestions {
  readonly #callers = new Map<string, Set<Caller>>();

  /** A call at a server begins; returns what ends it. */
  during(server: string, caller: Caller): () => void {
    const open = this.#callers.get(server) ?? new Set();
    this.#callers.set(server, open.add(caller));
    return () => {
      open.delete(caller);
      if (open.size === 0 && this.#callers.get(server) === open) this.#callers.delete(server);
    };
  }

  /** For `HostOptions.inputs`. */
  inputs(server: string, otherwise: InputHandlers): InputHandlers {
    return {
      ...otherwise,
      elicitModes: ['form', 'url'],
      elicit: async (params, context) => {
        const open = [...(this.#callers.get(server) ?? [])];
        const [only] = open;
        if (open.length === 1 && only?.ask) return only.ask(params, context);
        const result = (await otherwise.elicit?.(params, context)) ?? { action: 'decline' };
        if (result.action !== 'accept') {
          for (const caller of open) caller.unanswered({ server, message: params.message, action: result.action });
        }
        return result;
      },
    };
  }
}
