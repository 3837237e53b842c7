// Why no call shows what a rule judges: none may be made, none was answered in time, or all were answered with errors.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { quoted } from '../../../../wire/diagnosis/rule.ts';
import { parsed } from '../../../parsed-json.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { listIn } from './exchange.ts';
import { type CallExchange, callTimeoutMs, type Survey } from './survey.ts';

const NOT_ALLOWED =
  'no tool may be called, and what the server writes during calls is not seen: name one with --allow-calls';

/** `isWanted`: tools whose calls would show it. `otherwise`: the reason if there are none, or if a call of one succeeded. */
export function whyNoCalls(
  ruleRun: ServerRuleRun,
  { calls }: Pick<Survey, 'calls'>,
  otherwise: string,
  isWanted: (tool: JsonObject) => boolean = () => true,
): string {
  if (!ruleRun.facts.tools.some(isWanted)) return otherwise;
  if (!ruleRun.calls.some(({ tool }) => isWanted(tool))) return NOT_ALLOWED;
  const made = calls.filter(({ call }) => isWanted(call.tool));
  if (made.some(hasSucceeded)) return otherwise;
  const failed = made.find(({ error, result }) => error ?? result);
  if (!failed) return unanswered(ruleRun, made) ?? otherwise;
  if (refusedOutput(failed) !== undefined) {
    return `the server refused what the tool "${failed.call.name}" returned (methods/tool-output-is-accepted)`;
  }
  return `the call of "${failed.call.name}" was answered with the error ${errorIn(failed)}: name it with other arguments with --allow-calls`;
}

export function hasSucceeded({ result }: CallExchange): boolean {
  return result !== undefined && result.isError !== true;
}

/** What an SDK, which checks what a tool returns before it is sent, says about it. These texts are those of the TypeScript and Python SDKs. */
export function refusedOutput({ error, result }: CallExchange): string | undefined {
  const text = textOf(error ? error.message : result?.isError === true ? textIn(result) : '');
  const [, problem] =
    /^(?:MCP error -32602: )?(?:Invalid tools\/call result|Output validation error): (.+)$/s.exec(text) ?? [];
  if (problem === undefined) return undefined;
  const issues = parsed(problem);
  const [issue] = Array.isArray(issues) ? issues.filter(isObject) : [];
  return issue ? issueText(issue) : quoted(problem);
}

/** An issue of Zod. The first branch of a union is of the type text. */
function issueText({ path, message, errors }: JsonObject): string {
  const [[inner] = []] = Array.isArray(errors) && Array.isArray(errors[0]) ? errors : [];
  const at = [path, isObject(inner) ? inner.path : []].flat().map(textOf).join('.');
  return quoted(`${at === '' ? '' : `${at}: `}${textOf(isObject(inner) ? inner.message : message)}`);
}

/** Short: a long one would push out the advice. */
function errorIn({ error, result }: CallExchange): string {
  if (error) return `${error.code === undefined ? '' : `${textOf(error.code)} `}${quoted(textOf(error.message))}`;
  return quoted(textIn(result) ?? textOf(result?.content));
}

function textIn(result: JsonObject | undefined): string | undefined {
  const block = listIn(result, 'content').find((each) => isObject(each) && typeof each.text === 'string');
  return isObject(block) ? textOf(block.text) : undefined;
}

/** Undefined if all calls were answered. A slow tool is not a wrong one. */
export function unanswered(ruleRun: ServerRuleRun, calls: readonly CallExchange[]): string | undefined {
  const missing = calls.filter(({ received }) => !received);
  const slow = missing.find(({ end }) => !end);
  const [fatal] = missing;
  if (!slow) return fatal && `the call of "${fatal.call.name}" ended the server (methods/calls-keep-the-server-alive)`;
  return `the call of "${slow.call.name}" was not answered within ${callTimeoutMs(ruleRun) / 1000} s: raise --timeout, or name it with --long-call`;
}
