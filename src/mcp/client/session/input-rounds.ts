// 2026-07-28: a request that returns questions is sent again with the answers, until it is complete. The state of the
// server (`requestState`) is returned unchanged. The number of rounds is limited.

import { toAbortSignal } from '../../../base/cancel-signal.ts';
import type { Clock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { pause, unlessAborted } from '../../../base/wait.ts';
import type { Caller, Params, Result } from '../../service.ts';
import type { InputRequest, InputRequiredResult, InputResponse } from '../../types.ts';
import type { InputHandlers } from '../options.ts';
import { answerInput, refusal } from './inputs.ts';

/** If a result has no questions, the request is sent again after this time, which doubles each time. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
/** Limit that equals the number of questions that may be pending at a time in older revisions. */
const MOST_QUESTIONS = 256;

export interface RoundsContext {
  method: string;
  params: Params;
  caller: Caller;
  /** The time when the request was first sent; used only with a total timeout. */
  startedMs: number;
  /** `leftMs` is the rest of the total timeout. */
  send: (params: Params, leftMs: number | undefined) => Promise<Result>;
  /** The outcome of a result that is neither complete nor a question. */
  other: (result: Result) => Result;
  /** These handlers answer questions whose capability the client of the caller did not declare. */
  handlers: InputHandlers;
  maxInputRounds: number;
  clock: Clock;
  closed: AbortSignal;
  /** The error of the request if the connection has ended. */
  lost: () => Error;
}

export async function finishRounds(first: InputRequiredResult, context: RoundsContext): Promise<Result> {
  const { method, params, maxInputRounds } = context;
  let asked = first;
  let pauseMs = FIRST_PAUSE_MS;
  for (let round = 1; round <= maxInputRounds; round++) {
    const { inputRequests, requestState } = checked(asked, method);
    const next: Params = { ...params };
    if (requestState !== undefined) next.requestState = requestState;
    context.caller.keeps?.(requestState?.length ?? 0);
    if (inputRequests && Object.keys(inputRequests).length > 0) {
      next.inputResponses = await gather(inputRequests, context);
    } else {
      await limited(context, (signal) => pause(context.clock, pauseMs, signal));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    const result = await context.send(next, remaining(context)).catch((error: unknown) => {
      throw hasBegun(method, error);
    });
    if (result.resultType === 'complete' || result.resultType === undefined) return result;
    if (result.resultType !== 'input_required') return context.other(result);
    asked = result as unknown as InputRequiredResult;
  }
  throw new PeerError('INPUT_ROUNDS_EXCEEDED', `${method} asked for input more than ${maxInputRounds} times`, {
    hint: 'Raise maxInputRounds if the server is known to finish.',
  });
}

/** Collects all answers. If one fails, the signal of the others aborts. */
async function gather(requests: Record<string, InputRequest>, context: RoundsContext) {
  const entries = Object.entries(requests);
  for (const [, asked] of entries) {
    const refused = refusal(asked, context.caller, context.handlers);
    if (refused) throw notDeclared(context.method, asked.method, refused.message);
  }
  return limited(context, async (signal) => {
    const answers = entries.map(
      async ([key, asked]): Promise<[string, InputResponse]> => [
        key,
        await answerInput(asked, context.caller, context.handlers, signal, key),
      ],
    );
    return Object.fromEntries(await Promise.all(answers));
  });
}

/** Runs with a signal that aborts with the caller, the connection, the total timeout or a failure of `run`. */
async function limited<T>(context: RoundsContext, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { caller, closed, clock, method } = context;
  const own = new AbortController();
  const signal = AbortSignal.any([own.signal, closed, ...(caller.signal ? [toAbortSignal(caller.signal)] : [])]);
  const leftMs = remaining(context);
  const timer =
    leftMs === undefined
      ? undefined
      : clock.after(leftMs, () => own.abort(timedOut(method, caller.options!.totalTimeoutMs!)));
  try {
    signal.throwIfAborted(); // the connection has ended: no further questions are asked
    return await unlessAborted(run(signal), signal);
  } catch (error) {
    // The previous rounds were sent and may have taken effect.
    throw closed.aborted && signal.reason === closed.reason ? context.lost() : error;
  } finally {
    timer?.cancel();
    own.abort();
  }
}

/** The total timeout covers all rounds together. */
function remaining({ caller, startedMs, clock, method }: RoundsContext): number | undefined {
  const totalMs = caller.options?.totalTimeoutMs;
  if (totalMs === undefined) return undefined;
  const leftMs = startedMs + totalMs - clock.nowMs();
  if (leftMs <= 0) throw timedOut(method, totalMs);
  return leftMs;
}

function checked(asked: InputRequiredResult, method: string): InputRequiredResult {
  const { inputRequests, requestState } = asked;
  const wrong =
    inputRequests === undefined && requestState === undefined
      ? 'neither inputRequests nor requestState'
      : requestState !== undefined && typeof requestState !== 'string'
        ? 'a requestState that is not a string'
        : inputRequests !== undefined && !isTable(inputRequests)
          ? 'inputRequests that are not requests'
          : Object.keys(inputRequests ?? {}).length > MOST_QUESTIONS
            ? `more than ${MOST_QUESTIONS} inputRequests at a time`
            : undefined;
  if (!wrong) return asked;
  throw new PeerError('RESULT_INVALID', `The server answered ${method} with input_required and ${wrong}`);
}

function isTable(requests: unknown): boolean {
  if (typeof requests !== 'object' || requests === null) return false;
  return Object.values(requests).every((each) => typeof (each as InputRequest | null)?.method === 'string');
}

function notDeclared(method: string, asked: string, why: string): PeerError {
  return new PeerError('CAPABILITY_NOT_DECLARED', `To finish ${method} the server needs ${asked}: ${why}`, {
    hint: 'Give connect() the handler for it (elicit, sample, roots); a server must not send questions to a client that does not declare their capability.',
  });
}

function timedOut(method: string, ms: number): PeerError {
  return new PeerError('REQUEST_TIMEOUT', `${method} was not finished within ${ms} ms in total, including questions`, {
    hint: 'Raise totalTimeoutMs for this call.',
  });
}

/** This round was not sent, but the previous ones were: sending the request again would run its first part twice. */
function hasBegun(method: string, error: unknown): unknown {
  if (!(error instanceof PeerError) || error.code !== 'NOT_SENT') return error;
  return new PeerError('OUTCOME_UNKNOWN', `${error.message} \u2014 ${method} had begun to run and waited for answers`, {
    cause: error,
    evidence: error.evidence,
    hint: 'Check whether it took effect before you send it again.',
  });
}
