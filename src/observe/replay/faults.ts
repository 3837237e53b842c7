// Faults that a replayed server has on demand, for testing how a client handles them: `tools/call search: delay 5s`.

import type { Clock } from '../../base/clock.ts';
import { readDuration } from '../../base/duration.ts';
import { PeerError, RpcError, UsageError } from '../../base/errors.ts';
import { globMatcher } from '../../base/glob.ts';
import { pause, unlessAborted } from '../../base/wait.ts';
import type { ServiceLayer } from '../../mcp/layers/layer.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Caller } from '../../mcp/service.ts';
import { targetOf } from './recorded-exchange.ts';

type FaultAction =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'drop' }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'garbage' };

export interface Fault {
  readonly method: (text: string) => boolean;
  /** Whether the fault applies to a target. Absent for every target. */
  readonly target: ((text: string) => boolean) | undefined;
  readonly action: FaultAction;
}

/** Effects that some faults need. A fault whose effect is missing fails its request with CONNECTION_CLOSED. */
export interface FaultEffects {
  /** Ends the process after all pending output is written. */
  exit?: ((code: number) => void) | undefined;
  /** Writes a line that is not JSON in place of the answer. */
  garbage?: (() => unknown) | undefined;
}

const USE =
  "METHOD [TARGET]: ACTION, for example 'tools/call search: delay 5s'. Actions: delay TIME, timeout, error CODE [MESSAGE], drop, exit CODE, garbage. * is a wildcard in method and target.";

export function parseFault(text: string): Fault {
  const [, method, target, action = ''] = /^\s*(\S+?)(?:\s+(.+?))?\s*:\s+(\S.*?)\s*$/.exec(text) ?? [];
  const parsed = parseAction(action);
  if (method === undefined || !parsed) {
    throw new UsageError('INVALID_OPTION', `"${text}" is not a fault`, { hint: `Write ${USE}` });
  }
  if (methodsOfMcp.get(method)?.isOfConnection) {
    throw new UsageError(
      'INVALID_OPTION',
      `The fault "${text}" has no effect: the recording does not answer ${method}`,
      {
        hint: 'Faults apply to requests about tools, resources, prompts, completions and tasks.',
      },
    );
  }
  return {
    method: globMatcher(method),
    target: target === undefined ? undefined : globMatcher(target),
    action: parsed,
  };
}

/** Undefined for an unknown action. */
function parseAction(text: string): FaultAction | undefined {
  const [, word, value = ''] = /^(\w+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const number = /^-?\d{1,9}$/.test(value) ? Number(value) : undefined;
  switch (word) {
    case 'timeout':
    case 'drop':
    case 'garbage':
      return value === '' ? { kind: word } : undefined;
    case 'delay': {
      const ms = readDuration(value);
      return ms === undefined ? undefined : { kind: 'delay', ms };
    }
    case 'error': {
      const [, code, message = 'Injected fault'] = /^(-?\d{1,9})(?:\s+(.+))?$/s.exec(value) ?? [];
      return code === undefined ? undefined : { kind: 'error', code: Number(code), message };
    }
    case 'exit':
      return number === undefined || number < 0 || number > 255 ? undefined : { kind: 'exit', code: number };
    default:
      return undefined;
  }
}

/** The first fault that matches a request applies. A delay is followed by the recorded answer. */
export function faultLayer(faults: readonly Fault[], clock: Clock, effects: FaultEffects = {}): ServiceLayer {
  if (faults.length === 0) return (next) => next;
  return (next) => async (method, params, caller) => {
    const target = targetOf(method, params);
    const fault = faults.find((each) => each.method(method) && (each.target?.(target ?? '') ?? true));
    if (!fault) return next(method, params, caller);
    const { action } = fault;
    switch (action.kind) {
      case 'delay':
        await pause(clock, action.ms, caller.signal ?? never);
        return next(method, params, caller);
      case 'error':
        throw new RpcError(action.code, action.message);
      case 'timeout':
        return unanswered(caller);
      case 'exit':
      case 'drop':
        return ended(effects.exit && (() => effects.exit!(action.kind === 'exit' ? action.code : 0)), caller);
      case 'garbage':
        return ended(effects.garbage, caller);
    }
  };
}

async function ended(effect: (() => unknown) | undefined, caller: Caller): Promise<never> {
  if (!effect) throw new PeerError('CONNECTION_CLOSED', 'The replayed server closed the connection: an injected fault');
  await effect();
  return unanswered(caller);
}

const never: AbortSignal = new AbortController().signal;

/** Settles only if the client cancels the request or disconnects. */
export function unanswered({ signal }: Caller): Promise<never> {
  return unlessAborted(new Promise<never>(() => undefined), signal ?? never);
}
