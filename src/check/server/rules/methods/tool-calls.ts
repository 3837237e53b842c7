// Rules about calls that fail: unknown tools, invalid arguments, errors of tools.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { spellingOf, wrongMember } from '../../../../base/wrong-member.ts';
import { alternatives, objectSchemas } from '../../../../mcp/schema-alternatives.ts';
import { mcp, responses } from '../../../sources.ts';
import type { Entry } from '../../../transcript.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import type { PermittedCall } from '../../calls.ts';
import { type Conversation, describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { sampleArguments } from '../../sample-arguments.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { idleEnd } from '../lifecycle/opening.ts';
import { type Exchange, endAfter, exchange, INVALID_PARAMS, notificationsIn, proofOf, refused } from './exchange.ts';
import { hasSucceeded, isUnanswered, MISSING_CAPABILITY, refusedOutput, unanswered, whyNoCalls } from './shape.ts';
import { type CallExchange, callTimeoutMs, type Survey, surveyOf } from './survey.ts';

const MOST_CALLS = 5;
/** Calls without an answer that are made again with a longer limit. */
const MOST_SLOW_CALLS = 3;
/** Codes for a missing capability of the client (2026-07-28) and for a page that the user must visit first (2025-11-25). */
const OF_THE_CLIENT = [MISSING_CAPABILITY, -32042];

const EXITS_LATER =
  'Read stdin until its end: do not leave the read loop or call exit after an answer. Also catch the errors of work that continues after the answer.';

export const toolCallRules = serverRows({ runs: 'each era', uses: 'shared' }, [
  {
    id: 'methods/unknown-tools-are-refused',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    level: 'ADVICE',
    title: 'refuse an unknown tool with -32602',
    says: 'A call of a tool that does not exist is refused with the code -32602, not answered with a result with `isError`.',
    source: mcp('server/tools#error-handling'),
    fix: 'Look up the tool before you call it, and answer with the error -32602 if it does not exist.',
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.tools) notApplicable('the server does not declare tools');
      const params = { name: 'standpipe_no_such_tool', arguments: {} };
      await refused(ruleRun, 'The call of an unknown tool', {
        method: 'tools/call',
        params,
        code: INVALID_PARAMS,
        isAboutName: true,
      });
    },
  },
  {
    id: 'methods/missing-arguments-are-refused',
    level: 'MUST',
    title: 'refuse a call without a required argument',
    says: 'Servers validate the input of tools. A call without a required argument gets an error, or a result with `isError`.',
    source: mcp('server/tools#security-considerations'),
    fix: 'Check the arguments against the `inputSchema` before you call the tool.',
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      const tried = withoutArgument(ruleRun, survey);
      if (tried.length === 0) {
        const none = 'no tool that may be called has a required argument';
        notApplicable(whyNoCalls(ruleRun, survey, none, (tool) => requiredOf(sampleOf(tool)).length > 0));
      }
      const made = [];
      for (const wrong of tried) made.push(await mustRefuse(ruleRun, survey, wrong));
      mustSucceedOtherwise(ruleRun, survey, tried);
      if (made.every(isAccepted)) notApplicable('the server fills in the `default` of each required argument');
    },
  },
  {
    id: 'methods/argument-types-are-checked',
    level: 'SHOULD',
    title: 'refuse an argument of the wrong type',
    says: 'Servers validate the input of tools. A call with an argument of the wrong type gets an error, or a result with `isError`.',
    source: mcp('server/tools#security-considerations'),
    fix: 'Check the arguments against the `inputSchema` before you call the tool.',
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      const tried = withWrongType(ruleRun, survey);
      if (tried.length === 0) {
        const none = 'no tool that may be called has a required argument with a type';
        notApplicable(whyNoCalls(ruleRun, survey, none, (tool) => typedOf(sampleOf(tool)) !== undefined));
      }
      for (const wrong of tried) await mustRefuse(ruleRun, survey, wrong);
      mustSucceedOtherwise(ruleRun, survey, tried);
    },
  },
  {
    id: 'methods/arguments-may-be-absent',
    level: 'ADVICE',
    title: 'accept a call without `arguments`',
    says: 'The member `arguments` of a call is optional. A call without it equals a call with an empty object.',
    fix: 'Treat absent `arguments` as an empty object.',
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
        violation(
          `The tool "${call.name}" accepts the arguments \`{}\` and refuses a call without \`arguments\`.`,
          ...proofOf(made),
        );
      }
    },
  },
  {
    id: 'methods/calls-keep-the-server-alive',
    level: 'MUST',
    title: 'keep running after every call',
    says: 'A call is answered with a result or an error. The server keeps running whatever the tool does, even if an argument is missing or has the wrong type.',
    source: responses,
    fix: 'Catch the errors of a tool where you call it, and answer with a result with `isError`.',
    fixIsAboutEnd: true,
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      const { calls } = survey;
      if (calls.length === 0) notApplicable(whyNoCalls(ruleRun, survey, 'the server has no tools'));
      const isEnded =
        calls.some(({ end, later }) => end ?? later) || ruleRun.seen.some(({ endedByItself }) => endedByItself);
      if (isEnded && (await idleEnd(ruleRun)))
        notApplicable('the server also exits without a call (lifecycle/keeps-running)');
      const fatal = await fatalCall(ruleRun, calls);
      if (fatal) {
        const { call, next, later, failure } = fatal;
        const how = later ? `It was answered, and then ${later.how}.` : failure;
        const proof = [...proofOf(fatal), ...(next ? proofOf(next) : []), ...(later?.proof ?? [])];
        throw new Violation(`The call of "${call.name}" ended the server. ${how}`, proof, later && EXITS_LATER);
      }
      for (const probe of ruleRun.seen.filter(({ endedByItself }) => endedByItself)) {
        const { entries } = probe.transcript;
        const last = calls.findLast(({ sent }) => entries.includes(sent));
        if (!last || (await endsWithoutCalls(ruleRun, last.sent, entries))) continue;
        const reason = `Later, after the call of "${last.call.name}", ${await probe.howItEnded()} by itself.`;
        throw new Violation(reason, [...proofOf(last), ...endAfter(last.sent, entries)], EXITS_LATER);
      }
      await surviveWrongCalls(ruleRun, survey);
      const slow = unanswered(ruleRun, calls);
      if (slow) notApplicable(slow);
    },
  },
  {
    id: 'methods/calls-are-answered',
    level: 'ADVICE',
    title: 'answer calls in time',
    says: 'Every request gets an answer. No specification limits the time of a call, but clients do: a call that takes longer than `--timeout` should send progress.',
    fix: {
      node: 'Look for a promise that is never settled, and for a missing timeout of a request to another program. If the tool is slow, name it with --long-call.',
      any: 'Look for a wait without a limit: a lock, a queue, a request to another program. If the tool is slow, name it with --long-call.',
    },
    uses: 'own',
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      if (survey.calls.length === 0) notApplicable(whyNoCalls(ruleRun, survey, 'the server has no tools'));
      const { knownLongCall: long } = ruleRun;
      const slow = survey.calls.filter((made) => isUnanswered(made) && made.call.name !== long?.name);
      for (const { call, params } of slow.slice(0, MOST_SLOW_CALLS)) {
        const conversation = await ruleRun.open();
        const { probe } = conversation;
        const id = conversation.ask('tools/call', params);
        const sent = probe.transcript.entries.at(-1)!;
        const progress = () => notificationsIn(probe.frames, 'notifications/progress')[0]?.frame;
        if ((await probe.maybe(() => probe.anyAnswerTo(id) ?? progress())) || probe.ended) continue;
        violation(`The call of "${call.name}" was not answered within ${ruleRun.timeoutMs / 1000} s.`, sent);
      }
    },
  },
  {
    id: 'methods/tool-errors-are-results',
    level: 'SHOULD',
    title: 'report errors of a tool in the result',
    says: 'Errors of a tool are results with `isError`, so that a model can read them. JSON-RPC errors are for invalid requests.',
    source: mcp('server/tools#error-handling'),
    fix: {
      python:
        'Catch the exception of the tool and return {"content": [{"type": "text", "text": str(error)}], "isError": True}.',
      node: 'Catch the error of the tool and return { content: [{ type: "text", text: error.message }], isError: true }.',
      any: 'Catch the error of the tool and return its message as content with `isError: true`.',
    },
    check: async (ruleRun) => {
      const { calls } = await surveyOf(ruleRun);
      const failed = calls.filter(({ result, error }) => error || result?.isError === true);
      if (failed.length === 0) notApplicable('no permitted call failed');
      for (const made of failed) {
        const { error, call } = made;
        if (!error || isOfRequest(error.code)) continue;
        violation(`The call of "${call.name}" was answered with the error ${describeError(error)}.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'methods/tool-output-is-accepted',
    level: 'SHOULD',
    title: 'not refuse the output of its own tools',
    says: 'A tool returns `content`, and structured content that conforms to its `outputSchema` if it has one. An error replaces the result only of calls that failed.',
    source: mcp('server/tools#tool-result'),
    fix: {
      node: 'Return { content: [{ type: "text", text: "…" }] } from the tool; with an outputSchema also structuredContent that conforms to it. `text` is a string, not a number.',
      python:
        'Return a value of the declared type or of the outputSchema from the tool; without one, text or a list of content.',
      any: 'Return a list of content from the tool, and with an `outputSchema` also structured content that conforms to it.',
    },
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      if (!survey.calls.some(({ received }) => received)) {
        notApplicable(whyNoCalls(ruleRun, survey, 'no call was answered'));
      }
      for (const made of survey.calls) {
        const refused = refusedOutput(made);
        if (refused === undefined) continue;
        violation(`The server refused the output of the tool "${made.call.name}": ${refused}.`, ...proofOf(made));
      }
    },
  },
]);

/** The first call that ended the server and also ends a new process that gets only this call. */
async function fatalCall(ruleRun: ServerRuleRun, calls: Survey['calls']): Promise<CallExchange | undefined> {
  for (const made of calls) {
    if (made.end || (made.later && (await endsServer(ruleRun, made)))) return made;
  }
  return undefined;
}

/** Whether a process that gets only this call ends by itself after it. */
async function endsServer(ruleRun: ServerRuleRun, { params }: CallExchange): Promise<boolean> {
  const conversation = await ruleRun.open();
  const { probe } = conversation;
  const id = conversation.ask('tools/call', params);
  await probe.maybe(() => probe.anyAnswerTo(id), callTimeoutMs(ruleRun));
  return endsNext(conversation);
}

/** Whether the messages after a call end a process that got no call. */
async function endsWithoutCalls(ruleRun: ServerRuleRun, call: Entry, entries: readonly Entry[]): Promise<boolean> {
  const conversation = await ruleRun.open();
  for (const { kind, bytes } of entries.slice(entries.indexOf(call) + 1)) {
    if (kind === 'sent') conversation.probe.write(bytes);
  }
  return endsNext(conversation);
}

async function endsNext(conversation: Conversation): Promise<boolean> {
  await conversation.settled();
  await conversation.probe.exitLater();
  return conversation.probe.endedByItself;
}

/** The rules about arguments report an invalid call that is not answered but does not end the server. */
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

/** Leaves out tools whose correct calls end the server: their invalid calls show nothing about arguments. */
function survivedCalls(ruleRun: ServerRuleRun, survey: Survey): PermittedCall[] {
  const fatal = new Set(survey.calls.filter(({ end }) => end).map(({ call }) => call.name));
  return ruleRun.calls.filter(({ name }) => !fatal.has(name));
}

/** Refusing every call does not prove that a tool checks its arguments. */
function mustSucceedOtherwise(
  ruleRun: ServerRuleRun,
  { calls }: Survey,
  tried: readonly { call: PermittedCall }[],
): void {
  const names = new Set(tried.map(({ call }) => call.name));
  const correct = calls.filter(({ call }) => names.has(call.name));
  if (correct.length < names.size || correct.some((made) => hasSucceeded(made) || !made.received)) return;
  notApplicable(whyNoCalls(ruleRun, { calls: correct }, 'no call of the tool succeeds'));
}

/** A call with arguments that the schema of the tool refuses. */
interface WrongCall {
  readonly call: PermittedCall;
  readonly given: JsonObject;
  /** The fault of the call, as the end of a sentence. */
  readonly what: string;
  /** The server may fill in the `default` of the missing argument. */
  readonly mayBeFilledIn?: boolean;
}

/** Leaves out a required argument, preferably one without a default. */
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

/** A tool that does not answer valid calls either is the subject of methods/calls-are-answered. */
async function mustRefuse(
  ruleRun: ServerRuleRun,
  { calls }: Survey,
  { call: { name }, given, what, mayBeFilledIn }: WrongCall,
): Promise<Exchange> {
  const made = await exchange(ruleRun, 'tools/call', { name, arguments: given });
  const hanging = calls.find((each) => each.call.name === name && isUnanswered(each));
  if (hanging && isUnanswered(made)) notApplicable(unanswered(ruleRun, [hanging])!);
  if (made.failure) violation(`${made.failure} The call was ${what}.`, ...proofOf(made));
  if (!isAccepted(made) || mayBeFilledIn) return made;
  if (!isMeantAsError(made.result!)) violation(`The tool "${name}" accepted a call ${what}.`, ...proofOf(made));
  const wrong = wrongMember(made.result!, 'isError');
  const reason = `The tool "${name}" answered a call ${what} with a result that ${wrong}. Clients read it as a success.`;
  throw new Violation(reason, proofOf(made), 'Write `"isError": true`, a boolean, with this spelling.');
}

/** Returns false for a question to the client. */
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
  const root = isObject(tool.inputSchema) ? tool.inputSchema : {};
  const [only, ...others] = objectSchemas(root, root);
  const { required, properties } = only && others.length === 0 ? only : root;
  if (!Array.isArray(required) || !isObject(properties)) return [];
  return required
    .filter((name) => typeof name === 'string' && name in given && name in properties)
    .map((name) => ({ name, schema: resolved(properties[name], root) }));
}

/** The schema with the members that its reference leads to, unless there are several alternatives. */
function resolved(schema: unknown, root: JsonObject): unknown {
  const [only, ...others] = alternatives(schema, root);
  return isObject(schema) && others.length === 0 ? { ...only, ...schema } : schema;
}

/** A value of another type that a tolerant reader does not convert. */
function wrongValue(type: unknown): unknown {
  if (type === 'string') return { not: 'a string' };
  return ['number', 'integer', 'boolean', 'array', 'object'].includes(type as string)
    ? `not of the type ${type}`
    : undefined;
}
