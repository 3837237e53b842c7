// Rules about the shape of answers: each rule judges one kind of part of the survey. This file also explains why a survey lacks calls.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { quoted } from '../../../../wire/diagnosis/rule.ts';
import { parsed } from '../../../parsed-json.ts';
import { complete, type RuleText, type Written } from '../../../rule.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, listIn, proofOf } from './exchange.ts';
import { type CallExchange, callTimeoutMs, type Survey, surveyOf } from './survey.ts';

/** One part of an answer. */
export interface Part<T = unknown> {
  readonly value: T;
  /** The name of the part, as the subject of a sentence. */
  readonly what: string;
  readonly exchange: Exchange;
}

interface ShapeText<T> extends Written<RuleText>, Pick<ServerRule, 'since' | 'until'> {
  readonly parts: (survey: Survey) => readonly Part<T>[];
  /** Why the rule is not applicable without parts. */
  readonly none: string;
  /** Set if the parts come from calls: selects the tools. */
  readonly ofCalls?: (tool: JsonObject) => boolean;
  readonly problem: (value: T, ruleRun: ServerRuleRun) => Wrong | undefined | Promise<Wrong | undefined>;
}

/** The rest of a sentence whose subject is the part, with a fix if the fix of the rule does not apply. */
type Wrong = string | { readonly problem: string; readonly fix: string };

export function shapeRule<T>({ parts, none, ofCalls, problem, ...text }: ShapeText<T>): ServerRule {
  return complete({
    ...text,
    runs: 'each revision',
    uses: 'shared',
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      const why = () => (ofCalls ? whyNoCalls(ruleRun, survey, none, ofCalls) : none);
      await judgeParts(parts(survey), why, (value) => problem(value, ruleRun));
    },
  });
}

/** The first problem of a part is a violation. `none`: why the rule is not applicable without parts. */
export async function judgeParts<T>(
  parts: readonly Part<T>[],
  none: string | (() => string),
  problem: (value: T) => ReturnType<ShapeText<T>['problem']>,
): Promise<void> {
  if (parts.length === 0) notApplicable(typeof none === 'string' ? none : none());
  for (const { value, what, exchange } of parts) {
    const wrong = await problem(value);
    if (wrong === undefined) continue;
    const { problem: rest, fix } = typeof wrong === 'string' ? { problem: wrong, fix: undefined } : wrong;
    throw new Violation(`${what} ${rest}.`, proofOf(exchange), fix);
  }
}

const kinds = { tools: 'tool', resources: 'resource', resourceTemplates: 'resource template', prompts: 'prompt' };

/** Entries of a list as the server wrote them, including those that are not objects. */
export function entriesOf(survey: Survey, ...members: (keyof typeof kinds)[]): Part[] {
  return survey.lists
    .filter(({ member }) => members.includes(member as keyof typeof kinds))
    .flatMap(({ pages, member, key }) =>
      pages.flatMap((exchange) =>
        listIn(exchange.result, member).map((value, at) => {
          const name = isObject(value) ? value[key] : undefined;
          const kind = kinds[member as keyof typeof kinds];
          const what = name === undefined ? `Entry ${at} of \`${member}\`` : `The ${kind} ${JSON.stringify(name)}`;
          return { value, what, exchange };
        }),
      ),
    );
}

export function objectEntriesOf(survey: Survey, ...members: (keyof typeof kinds)[]): Part<JsonObject>[] {
  return entriesOf(survey, ...members).filter(isObjectPart);
}

/** Results that are objects. `what`: the subject of a sentence, from the params of the request. */
export function resultsIn(exchanges: readonly Exchange[], what: (params: JsonObject) => string): Part<JsonObject>[] {
  return exchanges.flatMap((exchange) =>
    exchange.result ? [{ value: exchange.result, what: what(exchange.params), exchange }] : [],
  );
}

export function toolResults(survey: Survey): Part<{ result: JsonObject; call: CallExchange }>[] {
  return survey.calls.flatMap((call) =>
    call.result
      ? [{ value: { result: call.result, call }, what: `The result of the tool "${call.call.name}"`, exchange: call }]
      : [],
  );
}

/** Blocks of the results of tools and of the messages of prompts. */
export function contentBlocks(survey: Survey): Part[] {
  const ofTools = toolResults(survey).flatMap(({ value, what, exchange }) =>
    listIn(value.result, 'content').map((block, at) => ({
      value: block,
      what: `Block ${at} of ${lowered(what)}`,
      exchange,
    })),
  );
  const ofPrompts = survey.gets.flatMap((exchange) =>
    listIn(exchange.result, 'messages')
      .filter(isObject)
      .map(({ content }, at) => ({
        value: content,
        what: `The content of message ${at} of the prompt ${JSON.stringify(exchange.params.name)}`,
        exchange,
      })),
  );
  return [...ofTools, ...ofPrompts];
}

export function readContents(survey: Survey): Part[] {
  return survey.reads.flatMap((exchange) =>
    listIn(exchange.result, 'contents').map((value, at) => ({
      value,
      what: `Part ${at} of the contents of ${JSON.stringify(exchange.params.uri)}`,
      exchange,
    })),
  );
}

export function isObjectPart(part: Part): part is Part<JsonObject> {
  return isObject(part.value);
}

function lowered(what: string): string {
  return what.charAt(0).toLowerCase() + what.slice(1);
}

/** methods/pages-do-not-overlap reports the same entry on two pages. */
export async function unique(
  ruleRun: ServerRuleRun,
  member: 'tools' | 'resources' | 'prompts',
  key: string,
  none: string,
): Promise<void> {
  const entries = objectEntriesOf(await surveyOf(ruleRun), member).filter(
    ({ value }) => typeof value[key] === 'string',
  );
  if (entries.length === 0) notApplicable(none);
  const byKey = new Map<unknown, Part<JsonObject>>();
  for (const entry of entries) {
    const { value, what, exchange } = entry;
    const before = byKey.get(value[key]);
    const isRepeatedPage = before?.exchange !== exchange && JSON.stringify(before?.value) === JSON.stringify(value);
    if (before && !isRepeatedPage) {
      violation(`${what} is in the list twice.`, ...new Set([...proofOf(before.exchange), ...proofOf(exchange)]));
    }
    byKey.set(value[key], entry);
  }
}

/** The request requires a capability of the client (2026-07-28). */
export const MISSING_CAPABILITY = -32021;

const NOT_ALLOWED =
  'the check may not call any of these tools, so the output of calls is unknown: name a tool with --allow-calls';

function onlyLong(name: string): string {
  return `the check knows only the long call of "${name}", whose result is not awaited: name a short call of the tool with arguments in --allow-calls`;
}

/** Whether the tool requires tasks (2025-11-25). A call of such a tool without `task` is refused. */
function runsAsTask({ execution }: JsonObject): boolean {
  return isObject(execution) && execution.taskSupport === 'required';
}

function whyOnlyTasks({ knownLongCall: long }: ServerRuleRun, isWanted: (tool: JsonObject) => boolean): string {
  if (long && isWanted(long.tool) && !runsAsTask(long.tool)) return onlyLong(long.name);
  return 'the tools that may be called run only as tasks: name another tool with --allow-calls';
}

function withoutArguments({ name }: JsonObject): string {
  return `the check found no arguments that the \`inputSchema\` of "${textOf(name)}" accepts: name the tool with arguments in --allow-calls`;
}

/**
 * Why calls do not show what a rule judges. `isWanted`: selects the tools whose calls would show it. `otherwise`: the reason if there is no such
 * tool, or if a call of one succeeded.
 */
export function whyNoCalls(
  ruleRun: ServerRuleRun,
  { calls }: Pick<Survey, 'calls'>,
  otherwise: string,
  isWanted: (tool: JsonObject) => boolean = () => true,
): string {
  if (!ruleRun.facts.tools.some(isWanted)) return otherwise;
  if (!ruleRun.calls.some(({ tool }) => isWanted(tool))) {
    const { knownLongCall: long } = ruleRun;
    if (long && isWanted(long.tool)) return onlyLong(long.name);
    const unknown = ruleRun.withoutArguments.find(isWanted);
    return unknown ? withoutArguments(unknown) : NOT_ALLOWED;
  }
  const ofTools = calls.filter(({ call }) => isWanted(call.tool));
  const made = ofTools.filter(({ call }) => ruleRun.era === 'modern' || !runsAsTask(call.tool));
  if (made.length === 0 && ofTools.length > 0) return whyOnlyTasks(ruleRun, isWanted);
  if (made.some(hasSucceeded)) return otherwise;
  const failed = made.find(({ error, result }) => error ?? result);
  if (!failed) return unanswered(ruleRun, made) ?? otherwise;
  if (refusedOutput(failed) !== undefined) {
    return `the server refused the output of the tool "${failed.call.name}" (methods/tool-output-is-accepted)`;
  }
  if (failed.error?.code === MISSING_CAPABILITY) {
    return `the tool "${failed.call.name}" requires a capability that the check does not declare as a client: its call was answered with the error ${errorIn(failed)}`;
  }
  return `the call of "${failed.call.name}" was answered with the error ${errorIn(failed)}: name the tool with other arguments in --allow-calls`;
}

export function hasSucceeded({ result }: CallExchange): boolean {
  return result !== undefined && result.isError !== true;
}

/** The error of an SDK that validates the output of a tool before it is sent. The texts are those of the TypeScript and Python SDKs. */
export function refusedOutput({ error, result }: CallExchange): string | undefined {
  const text = textOf(error ? error.message : result?.isError === true ? textIn(result) : '');
  const [, problem] =
    /^(?:MCP error -32602: )?(?:Invalid tools\/call result|Output validation error): (.+)$/s.exec(text) ?? [];
  if (problem === undefined) return undefined;
  const issues = parsed(problem);
  const [issue] = Array.isArray(issues) ? issues.filter(isObject) : [];
  return issue ? issueText(issue) : quoted(problem);
}

/** An issue of Zod. The first branch of the union is the content type text. */
function issueText({ path, message, errors }: JsonObject): string {
  const [[inner] = []] = Array.isArray(errors) && Array.isArray(errors[0]) ? errors : [];
  const at = [path, isObject(inner) ? inner.path : []].flat().map(textOf).join('.');
  return quoted(`${at === '' ? '' : `${at}: `}${textOf(isObject(inner) ? inner.message : message)}`);
}

/** The error, shortened so that the advice after it stays visible. */
function errorIn({ error, result }: CallExchange): string {
  if (error) return `${error.code === undefined ? '' : `${textOf(error.code)} `}${quoted(textOf(error.message))}`;
  return quoted(textIn(result) ?? textOf(result?.content));
}

export function textIn(result: JsonObject | undefined): string | undefined {
  const block = listIn(result, 'content').find((each) => isObject(each) && typeof each.text === 'string');
  return isObject(block) ? textOf(block.text) : undefined;
}

/** Whether the request was not answered although the server kept running. */
export function isUnanswered({ received, end }: Exchange): boolean {
  return !received && !end;
}

/** Returns undefined if all calls were answered. A slow tool does not violate a rule. */
export function unanswered(ruleRun: ServerRuleRun, calls: readonly CallExchange[]): string | undefined {
  const missing = calls.filter(({ received }) => !received);
  const slow = missing.find(isUnanswered);
  const [fatal] = missing;
  if (!slow) return fatal && `the call of "${fatal.call.name}" ended the server (methods/calls-keep-the-server-alive)`;
  const advice =
    slow.call.name === ruleRun.knownLongCall?.name
      ? 'name a short call of the tool with arguments in --allow-calls'
      : 'raise --timeout, or name the tool with --long-call';
  return `the call of "${slow.call.name}" was not answered within ${callTimeoutMs(ruleRun) / 1000} s: ${advice}`;
}
