// Why no call shows what a rule judges: none may be made, none was answered in time, or all were answered with errors.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { quoted } from '../../../../diagnosis/rule.ts';
import type { Trial } from '../../trial.ts';
import { listIn } from './exchange.ts';
import { type CallExchange, callTimeoutMs, type Survey } from './survey.ts';

const NOT_ALLOWED =
  'no tool may be called, and what the server writes during calls is not seen: name one with --allow-calls';

/** `isWanted`: tools whose calls would show it. `otherwise`: the reason if there are none, or if a call of one succeeded. */
export function whyNoCalls(
  trial: Trial,
  { calls }: Pick<Survey, 'calls'>,
  otherwise: string,
  isWanted: (tool: JsonObject) => boolean = () => true,
): string {
  if (!trial.facts.tools.some(isWanted)) return otherwise;
  if (!trial.calls.some(({ tool }) => isWanted(tool))) return NOT_ALLOWED;
  const made = calls.filter(({ call }) => isWanted(call.tool));
  if (made.some(hasSucceeded)) return otherwise;
  const failed = made.find(({ error, result }) => error ?? result);
  if (!failed) return unanswered(trial, made) ?? otherwise;
  return `the call of "${failed.call.name}" was answered with the error ${errorIn(failed)}: name it with other arguments with --allow-calls`;
}

export function hasSucceeded({ result }: CallExchange): boolean {
  return result !== undefined && result.isError !== true;
}

/** Short: a long one would push out the advice. */
function errorIn({ error, result }: CallExchange): string {
  if (error) return `${error.code === undefined ? '' : `${textOf(error.code)} `}${quoted(textOf(error.message))}`;
  const text = listIn(result, 'content').find((block) => isObject(block) && typeof block.text === 'string');
  return quoted(isObject(text) ? textOf(text.text) : textOf(result?.content));
}

/** Undefined if all calls were answered. A slow tool is not a wrong one. */
export function unanswered(trial: Trial, calls: readonly CallExchange[]): string | undefined {
  const missing = calls.filter(({ received }) => !received);
  const slow = missing.find(({ end }) => !end);
  const [fatal] = missing;
  if (!slow) return fatal && `the call of "${fatal.call.name}" ended the server (methods/calls-keep-the-server-alive)`;
  return `the call of "${slow.call.name}" was not answered within ${callTimeoutMs(trial) / 1000} s: raise --timeout, or name it with --long-call`;
}
