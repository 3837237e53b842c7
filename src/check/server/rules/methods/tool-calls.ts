// Calls that fail: unknown tools, arguments that do not fit, tools with errors.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { spellingOf, wrongMember } from '../../../../base/wrong-member.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { type PermittedCall, sampleArguments } from '../../calls.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { idleEnd } from '../lifecycle/keeps-running.ts';
import { type Exchange, endAfter, exchange, INVALID_PARAMS, proofOf, refused } from './exchange.ts';
import { hasSucceeded, unanswered, whyNoCalls } from './no-calls.ts';
import { callTimeoutMs, type Survey, surveyOf } from './survey.ts';

const MOST_CALLS = 5;
/** Missing capability of the client (2026-07-28), and a page that the user has to visit first (2025-11-25). */
const OF_THE_CLIENT = [-32021, -32042];

const EXITS_LATER =
  'Read stdin until its end: a loop that stops after an answer, or a call of exit, ends the server. Catch the errors of work that goes on after the answer too.';

export const callsKeepTheServerAlive: ServerRule = {
  id: 'methods/calls-keep-the-server-alive',
  level: 'MUST',
  title: 'survive every call',
  says: 'A call is answered with a result or an error. The server goes on, whatever the tool does, also if an argument is missing or has another type.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: { any: 'Catch the errors of a tool where it is called, and answer with a result with `isError`.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const survey = await surveyOf(ruleRun);
    const { calls } = survey;
    if (calls.length === 0) notApplicable(whyNoCalls(ruleRun, survey, 'the server has no tools'));
    const fatal = calls.find(({ end, later }) => end ?? later);
    const isEnded = fatal !== undefined || ruleRun.seen.some(({ endedByItself }) => endedByItself);
    if (isEnded && (await idleEnd(ruleRun)))
      notApplicable('the server exits without a call too (lifecycle/keeps-running)');
    if (fatal) {
      const { call, next, later, failure } = fatal;
      const how = later ? `It was answered, and then ${later.how}.` : failure;
      const proof = [...proofOf(fatal), ...(next ? proofOf(next) : []), ...(later?.proof ?? [])];
      throw new Violation(`The call of "${call.name}" ended the server. ${how}`, proof, later && EXITS_LATER);
    }
    for (const probe of ruleRun.seen.filter(({ endedByItself }) => endedByItself)) {
      const { entries } = probe.transcript;
      const last = calls.findLast(({ sent }) => entries.includes(sent));
      if (!last) continue;
      const reason = `Later, after the call of "${last.call.name}", ${await probe.howItEnded()} by itself.`;
      throw new Violation(reason, [...proofOf(last), ...endAfter(last.sent, entries)], EXITS_LATER);
    }
    await surviveWrongCalls(ruleRun, survey);
    const slow = unanswered(ruleRun, calls);
    if (slow) notApplicable(slow);
  },
};

/** A wrong call without an answer that does not end the server is a matter of the rules on arguments. */
async function surviveWrongCalls(ruleRun: ServerRuleRun, survey: Survey): Promise<void> {
  const answered = new Set(survey.calls.filter(({ received }) => received).map(({ call }) => call.name));
  for (const wrong of [...withoutArgument(ruleRun, survey), ...withWrongType(ruleRun, survey)]) {
    const { call, given, what } = wrong;
    if (!answered.has(call.name)) continue;
    const made = await exchange(ruleRun, 'tools/call', { name: call.name, arguments: given }, callTimeoutMs(ruleRun));
    if (made.end && (await idleEnd(ruleRun))) return;
    if (made.end) violation(`A call of "${call.name}" ${what} ended the server. ${made.failure}`, ...proofOf(made));
    if (!made.received) return;
  }
}

export const toolErrors: ServerRule = {
  id: 'methods/tool-errors-are-results',
  level: 'SHOULD',
  title: 'report errors of a tool in its result',
  says: 'Errors of a tool are results with `isError`, so that a model can read them. Protocol errors are for invalid requests.',
  source: { of: 'mcp', page: 'server/tools#error-handling' },
  fix: {
    python:
      'Catch the exception of the tool and return {"content": [{"type": "text", "text": str(error)}], "isError": True}.',
    node: 'Catch the error of the tool and return { content: [{ type: "text", text: error.message }], isError: true }.',
    any: 'Catch the error of the tool and return its message as content with `isError: true`.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const { calls } = await surveyOf(ruleRun);
    const failed = calls.filter(({ result, error }) => error || result?.isError === true);
    if (failed.length === 0) notApplicable('no call that may be made failed');
    for (const made of failed) {
      const { error, call } = made;
      if (!error || isOfRequest(error.code)) continue;
      violation(`The call of "${call.name}" was answered with the error ${describeError(error)}.`, ...proofOf(made));
    }
  },
};

export const unknownTools: ServerRule = {
  id: 'methods/unknown-tools-are-refused',
  level: 'ADVICE',
  title: 'refuse an unknown tool with -32602',
  says: 'A call of a tool that does not exist is refused with the code -32602. It is not a result with `isError`.',
  source: { of: 'mcp', page: 'server/tools#error-handling' },
  fix: { any: 'Look up the tool before it is called, and answer with the error -32602 if there is none.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    if (!ruleRun.facts.capabilities.tools) notApplicable('the server declares no tools');
    const params = { name: 'standpipe_no_such_tool', arguments: {} };
    await refused(ruleRun, 'The call of an unknown tool', {
      method: 'tools/call',
      params,
      code: INVALID_PARAMS,
      isAboutName: true,
    });
  },
};

export const missingArguments: ServerRule = {
  id: 'methods/missing-arguments-are-refused',
  level: 'MUST',
  title: 'refuse a call without a required argument',
  says: 'Servers validate the input of tools. A call without a required argument gets an error, or a result with `isError`.',
  source: { of: 'mcp', page: 'server/tools#security-considerations' },
  fix: { any: 'Check the arguments against the `inputSchema` before the tool is called.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const survey = await surveyOf(ruleRun);
    const tried = withoutArgument(ruleRun, survey);
    if (tried.length === 0) {
      const none = 'no tool that may be called has a required argument';
      notApplicable(whyNoCalls(ruleRun, survey, none, (tool) => requiredOf(sampleOf(tool)).length > 0));
    }
    const made = [];
    for (const wrong of tried) made.push(await mustRefuse(ruleRun, wrong));
    mustSucceedOtherwise(ruleRun, survey, tried);
    if (made.every(isAccepted)) notApplicable('the server fills in the `default` of each required argument');
  },
};

export const argumentTypes: ServerRule = {
  id: 'methods/argument-types-are-checked',
  level: 'SHOULD',
  title: 'refuse an argument of the wrong type',
  says: 'Servers validate the input of tools. An argument of another type than the schema says gets an error, or a result with `isError`.',
  source: { of: 'mcp', page: 'server/tools#security-considerations' },
  fix: { any: 'Check the arguments against the `inputSchema` before the tool is called.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const survey = await surveyOf(ruleRun);
    const tried = withWrongType(ruleRun, survey);
    if (tried.length === 0) {
      const none = 'no tool that may be called has a required argument with a type';
      notApplicable(whyNoCalls(ruleRun, survey, none, (tool) => typedOf(sampleOf(tool)) !== undefined));
    }
    for (const wrong of tried) await mustRefuse(ruleRun, wrong);
    mustSucceedOtherwise(ruleRun, survey, tried);
  },
};

export const argumentsMayBeAbsent: ServerRule = {
  id: 'methods/arguments-may-be-absent',
  level: 'ADVICE',
  title: 'accept a call without `arguments`',
  says: 'The member `arguments` of a call is optional: a call without it is a call without arguments.',
  source: { of: 'standpipe' },
  fix: { any: 'Read absent `arguments` as an empty object.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const survey = await surveyOf(ruleRun);
    const takesNone = (given: JsonObject) => Object.keys(given).length === 0;
    const callable = survey.calls.filter((made) => takesNone(made.call.arguments) && hasSucceeded(made));
    if (callable.length === 0) {
      const none = 'no tool that may be called succeeds without arguments';
      notApplicable(whyNoCalls(ruleRun, survey, none, (tool) => takesNone(sampleOf(tool).arguments)));
    }
    for (const { call } of callable.slice(0, MOST_CALLS)) {
      const made = await exchange(ruleRun, 'tools/call', { name: call.name });
      if (made.failure) violation(made.failure, ...proofOf(made));
      if (!made.error && made.result?.isError !== true) continue;
      violation(`The tool "${call.name}" takes \`{}\` and refuses absent arguments.`, ...proofOf(made));
    }
  },
};

/** Where a correct call ends the server too, a wrong one says nothing about arguments. */
function survivedCalls(ruleRun: ServerRuleRun, survey: Survey): PermittedCall[] {
  const fatal = new Set(survey.calls.filter(({ end }) => end).map(({ call }) => call.name));
  return ruleRun.calls.filter(({ name }) => !fatal.has(name));
}

/** A tool that refuses every call has not shown that it checks its arguments. */
function mustSucceedOtherwise(
  ruleRun: ServerRuleRun,
  { calls }: Survey,
  tried: readonly { call: PermittedCall }[],
): void {
  const names = new Set(tried.map(({ call }) => call.name));
  const correct = calls.filter(({ call }) => names.has(call.name));
  if (correct.length < names.size || correct.some((made) => hasSucceeded(made) || !made.received)) return;
  notApplicable(whyNoCalls(ruleRun, { calls: correct }, 'no call of it succeeds'));
}

/** A call of a tool with arguments that its schema refuses. */
interface WrongCall {
  readonly call: PermittedCall;
  readonly given: JsonObject;
  /** Description of the fault, worded as the end of a sentence. */
  readonly what: string;
  /** The server may fill in the `default` of the argument that is missing. */
  readonly mayBeFilledIn?: boolean;
}

/** Without the first required argument that has no default; otherwise without one that has. */
function withoutArgument(ruleRun: ServerRuleRun, survey: Survey): WrongCall[] {
  const calls = survivedCalls(ruleRun, survey).flatMap((call): WrongCall[] => {
    const required = requiredOf(call);
    const found = required.find(({ schema }) => !hasDefault(schema)) ?? required[0];
    if (!found) return [];
    const { [found.name]: _, ...given } = call.arguments;
    const what = `without the required argument "${found.name}"`;
    return [{ call, given, what, mayBeFilledIn: hasDefault(found.schema) }];
  });
  return calls.slice(0, MOST_CALLS);
}

function withWrongType(ruleRun: ServerRuleRun, survey: Survey): WrongCall[] {
  const calls = survivedCalls(ruleRun, survey).flatMap((call): WrongCall[] => {
    const found = typedOf(call);
    if (!found) return [];
    const wrong = wrongValue((found.schema as JsonObject).type);
    const what = `with ${JSON.stringify(wrong)} for the argument "${found.name}"`;
    return [{ call, given: { ...call.arguments, [found.name]: wrong }, what }];
  });
  return calls.slice(0, MOST_CALLS);
}

function typedOf(call: WithArguments): ReturnType<typeof requiredOf>[number] | undefined {
  return requiredOf(call).find(({ schema }) => isObject(schema) && wrongValue(schema.type) !== undefined);
}

function hasDefault(schema: unknown): boolean {
  return isObject(schema) && schema.default !== undefined;
}

async function mustRefuse(
  ruleRun: ServerRuleRun,
  { call: { name }, given, what, mayBeFilledIn }: WrongCall,
): Promise<Exchange> {
  const made = await exchange(ruleRun, 'tools/call', { name, arguments: given });
  if (made.failure) violation(`${made.failure} It was a call ${what}.`, ...proofOf(made));
  if (!isAccepted(made) || mayBeFilledIn) return made;
  if (!isMeantAsError(made.result!)) violation(`The tool "${name}" accepted a call ${what}.`, ...proofOf(made));
  const wrong = wrongMember(made.result!, 'isError');
  const reason = `The tool "${name}" answered a call ${what} with a result that ${wrong}. Clients read it as a success.`;
  throw new Violation(reason, proofOf(made), 'Write `"isError": true`, a boolean, with this spelling.');
}

/** A question to the client is neither. */
function isAccepted({ error, result }: Exchange): boolean {
  return !error && result !== undefined && result.isError !== true;
}

function isMeantAsError(result: JsonObject): boolean {
  const { isError = result[spellingOf('isError', result) ?? ''] } = result;
  return /^"?(?:true|1)"?$/i.test(JSON.stringify(isError) ?? '');
}

function isOfRequest(code: unknown): boolean {
  return code === INVALID_PARAMS || code === METHOD_NOT_FOUND || OF_THE_CLIENT.includes(code as number);
}

type WithArguments = Pick<PermittedCall, 'tool' | 'arguments'>;

function sampleOf(tool: JsonObject): WithArguments {
  return { tool, arguments: sampleArguments(tool.inputSchema) };
}

function requiredOf({ tool, arguments: given }: WithArguments): { name: string; schema: unknown }[] {
  const { required, properties } = isObject(tool.inputSchema) ? tool.inputSchema : {};
  if (!Array.isArray(required) || !isObject(properties)) return [];
  return required
    .filter((name) => typeof name === 'string' && name in given && name in properties)
    .map((name) => ({ name, schema: properties[name] }));
}

/** Of another type, and nothing that a lenient reader converts. */
function wrongValue(type: unknown): unknown {
  if (type === 'string') return { not: 'a string' };
  return ['number', 'integer', 'boolean', 'array', 'object'].includes(type as string)
    ? `not of the type ${type}`
    : undefined;
}
