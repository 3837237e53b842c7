// Records the use of tools, prompts, resources and tasks by principals: one layer around the service of each server of a host, and one
// around a gateway for requests that it refuses.

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { toError } from '../../base/errors.ts';
import { outcomeLabel, type RequestOutcome, reportOutcome, type ServiceLayer } from '../../mcp/layers/layer.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Caller, Params, Result } from '../../mcp/service.ts';
import type { AuditCall } from './audit-line.ts';
import type { AuditLog } from './audit-log.ts';

const LONGEST_NAME = 256;
const LONGEST_TARGET = 2048;
const LONGEST_ARGUMENTS = 16 * 1024;

export class Audit {
  readonly #log: AuditLog;
  /** Requests of clients that have reached a server. */
  readonly #reached = new WeakSet<object>();

  constructor(log: AuditLog) {
    this.#log = log;
  }

  /** The layer around the service of one server: records each request that names a tool, a prompt, a resource or a task. */
  ofServer(server: string): ServiceLayer {
    return (next) => (method, params, caller) => {
      const target = methodsOfMcp.get(method)?.target;
      if (!target) return next(method, params, caller);
      if (caller.request) this.#reached.add(caller.request);
      const begun = this.#log.begin({ kind: 'call', ...this.#facts(server, method, params, caller) });
      const run = (seq: number | undefined) => this.#run(seq, caller, () => next(method, params, caller));
      return begun instanceof Promise ? begun.then(run) : run(begun);
    };
  }

  /**
   * The layer around the service of a gateway: records the requests that did not reach a server, such as those of a
   * principal without the right.
   */
  ofGateway(name: string): ServiceLayer {
    return (next) => (method, params, caller) => {
      if (!methodsOfMcp.get(method)?.target) return next(method, params, caller);
      return reportOutcome(
        () => next(method, params, caller),
        (outcome) => {
          if (!('error' in outcome) || (caller.request && this.#reached.has(caller.request))) return;
          const facts = this.#facts(name, method, params, caller);
          this.#log.note({ kind: 'refused', ...facts, outcome: label(outcome, caller) });
        },
      );
    };
  }

  #run(seq: number | undefined, caller: Caller, request: () => Result | Promise<Result>): Result | Promise<Result> {
    if (seq === undefined) return request();
    const startMs = this.#log.clock.nowMs();
    return reportOutcome(request, (outcome) => {
      const ms = Math.round((this.#log.clock.nowMs() - startMs) * 1000) / 1000;
      this.#log.note({ kind: 'end', call: seq, outcome: label(outcome, caller), ms });
    });
  }

  #facts(
    server: string,
    method: string,
    params: Params,
    caller: Caller,
  ): Omit<AuditCall, 'kind' | 'run' | 'seq' | 'at'> {
    const { identity, info } = caller.client;
    const name = params[methodsOfMcp.get(method)!.target!.parameter];
    return {
      principal: cut(identity.principal, LONGEST_NAME),
      client: info && cut(`${info.name} ${info.version}`, LONGEST_NAME),
      server,
      method,
      target: typeof name === 'string' ? cut(this.#log.redact(name), LONGEST_TARGET) : undefined,
      ...this.#argumentsOf(params.arguments),
    };
  }

  #argumentsOf(given: unknown): { digest?: string; arguments?: string } {
    if (given === undefined) return {};
    let text: string;
    try {
      text = canonicalJson(given);
    } catch (error) {
      return { arguments: cut(toError(error).message, LONGEST_NAME)! }; // nested too deeply for a digest
    }
    const digest = createHash('sha256').update(text).digest('hex');
    const { keepsArguments, redact } = this.#log;
    return { digest, ...(keepsArguments && text.length <= LONGEST_ARGUMENTS && { arguments: redact(text) }) };
  }
}

function label(outcome: RequestOutcome, caller: Caller): string {
  return caller.signal?.aborted && 'error' in outcome ? 'cancelled' : outcomeLabel(outcome);
}

function cut(text: string | undefined, mostChars: number): string | undefined {
  return text === undefined || text.length <= mostChars ? text : `${text.slice(0, mostChars - 1)}…`;
}
