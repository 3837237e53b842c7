// Why no call shows what a rule judges: none may be made, none was answered in time, or all were answered with errors.

import type { JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { quoted } from '../../../../diagnosis/rule.ts';
import type { Trial } from '../../trial.ts';
import { type CallExchange, callTimeoutMs, type Survey } from './survey.ts';

const NOT_ALLOWED =
  'no tool may be called, and what the server writes during calls is not seen: name one with --allow-calls';

/** `isWanted`: tools whose calls would show it. `otherwise`: the reason if there are none, or if a call of one has a result. */
export function whyNoCalls(
  trial: Trial,
  { calls }: Survey,
  otherwise: string,
  isWanted: (tool: JsonObject) => boolean = () => true,
): string {
  if (!trial.facts.tools.some(isWanted)) return otherwise;
  if (!trial.calls.some(({ tool }) => isWanted(tool))) return NOT_ALLOWED;
  const made = calls.filter(({ call }) => isWanted(call.tool));
  if (made.some(({ result }) => result)) return otherwise;
  const refused = made.find(({ error }) => error);
  if (!refused) return unanswered(trial, made) ?? otherwise;
  const { code, message } = refused.error!;
  const error = `${textOf(code)} ${quoted(textOf(message))}`; // a long one would push out the advice
  return `the call of "${refused.call.name}" was answered with the error ${error}: name it with other arguments with --allow-calls`;
}

/** Undefined if all calls were answered. A slow tool is not a wrong one. */
export function unanswered(trial: Trial, calls: readonly CallExchange[]): string | undefined {
  const slow = calls.find(({ received, end }) => !received && !end);
  if (!slow) return undefined;
  return `the call of "${slow.call.name}" was not answered within ${callTimeoutMs(trial) / 1000} s: raise --timeout, or name it with --long-call`;
}
