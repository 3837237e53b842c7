// Rules about log messages, progress and cancellation.

import { jsonKind } from '../../../../base/json-object.ts';
import { isLogLevel, LOG_LEVEL, logLevels, reaches } from '../../../../mcp/meta.ts';
import type { Source } from '../../../rule.ts';
import { mcp } from '../../../sources.ts';
import type { Entry } from '../../../transcript.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { beginLongCall, type LongCall, notLong } from '../long-call.ts';
import { exchange, INVALID_PARAMS, notificationsIn, proofOf, refused } from './exchange.ts';
import { type CallExchange, callOnce, surveyOf } from './survey.ts';

const MESSAGE = 'notifications/message';
const PROGRESS = 'notifications/progress';
const NUMBER_TOKEN = 4711;
/** Limit of the wait for the end of a call that is not cancelled. */
const MOST_CALL_MS = 15_000;
const undeclared = 'the server does not declare logging';
const named = `${logLevels.slice(0, -1).join(', ')} and ${logLevels.at(-1)}`;

/** A page that 2026-07-28 moved from `utilities` to `patterns`. */
function pattern(page: string): Source {
  return mcp(`basic/utilities/${page}`, { '2026-07-28': `basic/patterns/${page}` });
}

const logRules = serverRows({ runs: 'each era', uses: 'shared' }, [
  {
    id: 'methods/log-levels-are-accepted',
    level: 'ADVICE',
    title: 'accept every log level',
    says: 'A server that declares logging accepts `logging/setLevel` with each of the eight levels from debug to emergency.',
    source: mcp('server/utilities/logging#log-levels'),
    fix: `Accept ${named}.`,
    until: '2025-11-25',
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.logging) notApplicable(undeclared);
      for (const level of [...logLevels].reverse()) {
        const made = await exchange(ruleRun, 'logging/setLevel', { level });
        if (made.failure) violation(made.failure, ...proofOf(made));
        if (!made.error || made.error.code === METHOD_NOT_FOUND) continue;
        violation(`The level ${level} was refused with ${describeError(made.error)}.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'methods/unknown-log-levels-are-refused',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    level: 'SHOULD',
    title: 'refuse an unknown log level with -32602',
    says: 'A log level that does not exist is refused with the code -32602.',
    source: mcp('server/utilities/logging#error-handling'),
    fix: `The levels are ${named}. Answer with the error -32602 for any other level.`,
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.logging) notApplicable(undeclared);
      const level = 'standpipe-no-such-level';
      const isLegacy = ruleRun.era === 'legacy';
      const method = isLegacy ? 'logging/setLevel' : 'server/discover';
      const params = isLegacy ? { level } : { _meta: { [LOG_LEVEL]: level } };
      await refused(ruleRun, 'An unknown log level', { method, params, code: INVALID_PARAMS });
    },
  },
  {
    id: 'methods/log-messages',
    level: 'MUST',
    title: 'send log messages with a known level and data',
    says: 'A log message has one of the eight levels, and `data`, any JSON value. `logger` is a string.',
    source: mcp('server/utilities/logging#log-message-notifications'),
    fix: `Send \`{"level": "info", "data": …}\`, with the text of the message in \`data\`. The levels are ${named}.`,
    runs: 'each revision',
    uses: 'seen',
    check: ({ seen }) => {
      for (const { frame, params } of logsIn(seen.flatMap(({ frames }) => frames))) {
        const { level, logger } = params;
        if (!isLogLevel(level)) violation(`A log message has the unknown level ${JSON.stringify(level)}.`, frame);
        if (!('data' in params)) violation('A log message has no `data`.', frame);
        if (logger !== undefined && typeof logger !== 'string') {
          violation(`A log message has the logger ${JSON.stringify(logger)}, which is not a string.`, frame);
        }
      }
    },
  },
  {
    id: 'methods/logging-is-declared',
    level: 'MUST',
    title: 'declare logging if it sends log messages',
    says: 'A server that sends log messages declares the capability `logging`.',
    source: mcp('server/utilities/logging#capabilities'),
    fix: 'Declare the capability `logging`, or log to stderr.',
    runs: 'each revision',
    uses: 'seen',
    check: ({ seen, facts }) => {
      const [first] = logsIn(seen.flatMap(({ frames }) => frames));
      if (first && !facts.capabilities.logging)
        violation('The server sent a log message and does not declare logging.', first.frame);
    },
  },
  {
    id: 'methods/log-level-is-obeyed',
    level: 'ADVICE',
    title: 'not send log messages below the chosen level',
    says: 'A client gets log messages of the level that it chooses and above. It chooses with `logging/setLevel`, or since 2026-07-28 in `_meta` of a request.',
    source: mcp('server/utilities/logging#setting-log-level', {
      '2026-07-28': 'server/utilities/logging#per-request-log-level',
    }),
    fix: 'Compare the level of each message with the chosen level before you send it.',
    check: async (ruleRun) => {
      const { calls } = await surveyOf(ruleRun);
      const logging = calls.find(({ window }) =>
        notificationsIn(window, MESSAGE).some(({ params }) => isLogLevel(params.level) && params.level !== 'emergency'),
      );
      if (!logging) notApplicable('no permitted call sends log messages');
      const level = 'emergency';
      if (ruleRun.era === 'legacy') await exchange(ruleRun, 'logging/setLevel', { level });
      const meta = ruleRun.era === 'modern' ? { [LOG_LEVEL]: level } : undefined;
      const { window, sent } = await callOnce(ruleRun, logging.call, meta);
      if (ruleRun.era === 'legacy') await exchange(ruleRun, 'logging/setLevel', { level: 'debug' });
      const below = notificationsIn(window, MESSAGE).find(({ params }) => !reaches(params.level, level));
      if (below)
        violation(`With the level ${level}, a message of the level ${below.params.level} was sent.`, sent, below.frame);
    },
  },
]);

const progressRules = serverRows({ level: 'MUST', runs: 'each era', uses: 'shared' }, [
  {
    id: 'methods/progress-tokens-are-echoed',
    title: 'send progress with the token of the request',
    says: 'Progress refers to the token of an active request. Tokens are strings or integers and keep their type.',
    source: pattern('progress#behavior-requirements'),
    fix: 'Send `progressToken` as it was in `_meta` of the request, without converting it to a string.',
    check: async (ruleRun) => {
      const calls = await progressing(ruleRun);
      const pending = await pendingTokens(ruleRun);
      for (const { token, window, sent } of calls) refuseOther(window, [token, ...pending], sent);
      const { window, sent } = await callOnce(ruleRun, calls[0]!.call, { progressToken: NUMBER_TOKEN });
      refuseOther(window, [NUMBER_TOKEN, ...pending], sent);
    },
  },
  {
    id: 'methods/progress-needs-a-token',
    title: 'not send progress without a token',
    says: 'Progress is sent only for requests that have a progress token.',
    source: pattern('progress#behavior-requirements'),
    fix: 'Send progress only if `_meta.progressToken` is present.',
    check: async (ruleRun) => {
      const [{ call }] = await progressing(ruleRun);
      const { window, sent } = await callOnce(ruleRun, call);
      const pending = await pendingTokens(ruleRun);
      const progress = notificationsIn(window, PROGRESS).find(({ params }) => !pending.includes(params.progressToken));
      if (progress) violation('The server sent progress for a request without a progress token.', sent, progress.frame);
    },
  },
  {
    id: 'methods/progress-increases',
    title: 'increase progress with each notification',
    says: 'The value of `progress` is a number that increases with each notification, even if the total is unknown.',
    source: pattern('progress#progress-flow'),
    fix: 'Write `progress` and `total` as numbers. Each notification of a request has a greater `progress` than the previous one.',
    check: async (ruleRun) => {
      for (const { window, sent } of await progressing(ruleRun)) {
        const last = new Map<unknown, number>();
        for (const { params, frame } of notificationsIn(window, PROGRESS)) {
          const { progress, progressToken, total } = params;
          if (typeof progress !== 'number')
            violation(`\`progress\` is ${jsonKind(progress)}, not a number.`, sent, frame);
          if (total !== undefined && typeof total !== 'number')
            violation(`\`total\` is ${jsonKind(total)}, not a number.`, sent, frame);
          const earlier = last.get(progressToken);
          if (earlier !== undefined && progress <= earlier) {
            violation(`The progress ${progress} was sent after ${earlier}.`, sent, frame);
          }
          last.set(progressToken, progress);
        }
      }
    },
  },
  {
    id: 'methods/progress-stops',
    title: 'not send progress after the answer',
    says: 'Progress stops when the request is completed.',
    source: pattern('progress#implementation-notes'),
    fix: {
      python: 'Await each progress notification before the tool returns.',
      node: 'Await each progress notification before the tool returns, and clear its timers.',
      any: 'Send all progress before the answer, and stop timers that send it.',
    },
    check: async (ruleRun) => {
      for (const { received, result, error, sent, token } of await progressing(ruleRun)) {
        if (!received || !(result ?? error)) continue; // without a result or error, the operation continues as a task or with a question
        const { frames = [] } = ruleRun.seen.find((probe) => probe.frames.includes(received)) ?? {};
        const after = notificationsIn(frames.slice(frames.indexOf(received) + 1), PROGRESS);
        const late = after.find(({ params }) => params.progressToken === token);
        if (late) violation('The server sent progress after the answer.', sent, received, late.frame);
      }
    },
  },
]);

const cancellationRules = serverRows({ level: 'SHOULD', runs: 'each era', uses: 'own' }, [
  {
    id: 'methods/cancelled-requests-are-not-answered',
    title: 'not answer a cancelled request',
    says: 'A server that receives `notifications/cancelled` for a request stops it, frees its resources and does not answer it.',
    source: pattern('cancellation#behavior-requirements'),
    fix: {
      python: 'Run tools as tasks, cancel the task of the request, and send nothing for it.',
      node: 'Abort the signal of the request, and drop its result.',
      any: 'Store running requests by id. Stop the cancelled request, and do not answer it.',
    },
    check: async (ruleRun) => {
      const call = await longCall(ruleRun);
      const { conversation, id, patienceMs } = call;
      const { probe } = conversation;
      const answer = () => probe.anyAnswerTo(id);
      const twin = await longCall(ruleRun); // a call that is not cancelled shows when it ends by itself
      const twinEnds = (limitMs: number) =>
        twin.conversation.probe.maybe(() => twin.conversation.probe.anyAnswerTo(twin.id), limitMs);
      if (answer()) await notLong(call);
      const cancellation = cancel(call);
      const startMs = performance.now();
      await conversation.settled();
      if (probe.ended) notApplicable('the server exited after the cancellation');
      if (answer()) {
        // The answer and the cancellation cross if the call ends by itself at this moment.
        const mayCross = performance.now() - startMs < patienceMs;
        if (mayCross && (await twinEnds(patienceMs))) await notLong(call);
      } else if (await twinEnds(Math.min(1.5 * ruleRun.timeoutMs, MOST_CALL_MS))) {
        await probe.maybe(answer, patienceMs);
      } else {
        probe.endInput(); // some servers answer running calls before they exit
        await probe.exitStatus();
      }
      const late = answer();
      if (late) violation('The request was answered after it was cancelled.', call.sent, cancellation, late);
    },
  },
  {
    id: 'methods/cancellation-keeps-the-server-alive',
    level: 'MUST',
    title: 'keep running after a cancellation',
    says: 'A cancellation ends one request. It may arrive at any time, and both sides handle it gracefully.',
    source: pattern('cancellation#timing-considerations'),
    fix: 'Catch the error that a cancelled tool throws. It must not end the loop that reads requests.',
    check: async (ruleRun) => {
      const call = await longCall(ruleRun);
      const { conversation } = call;
      const { probe } = conversation;
      cancel(call);
      const id = conversation.ask(conversation.simplestMethod);
      // A call that cannot be cancelled may keep a sequential server busy.
      await probe.maybe(() => probe.answersTo(id)[0]);
      await probe.exitLater();
      if (probe.endedByItself) violation('The server exited after a cancellation.');
    },
  },
  {
    id: 'methods/late-cancellations-are-ignored',
    title: 'ignore a cancellation of a finished or unknown request',
    says: 'A cancellation may arrive late. A cancellation of a finished or unknown request is ignored; like every notification it gets no answer.',
    source: pattern('cancellation#error-handling'),
    fix: 'Look up the request of a cancellation, and do nothing if it is not running.',
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      await conversation.barrier();
      const { simplestMethod: method } = conversation;
      const finished = conversation.ask(method);
      await conversation.answer(finished, `\`${method}\``);
      const from = probe.frames.length;
      const late: readonly unknown[] = [finished, 987_654_321, 'standpipe-no-such-request'];
      for (const requestId of late) {
        conversation.notify('notifications/cancelled', { requestId, reason: 'It came too late' });
      }
      const id = conversation.ask(method);
      await conversation.answer(id, `\`${method}\` after the cancellation of finished and unknown requests`);
      const answersIt = (given: unknown) => given === undefined || given === null || late.includes(given);
      const answer = probe.frames
        .slice(from)
        .find((frame) => messagesOf(frame).some((message) => isAnswer(message) && answersIt(message.id)));
      if (answer) violation('The server answered a cancellation.', answer);
    },
  },
]);

export const notificationMethodRules = [...logRules, ...progressRules, ...cancellationRules];

function logsIn(frames: readonly Frame[]) {
  const found = notificationsIn(frames, MESSAGE);
  return found.length > 0 ? found : notApplicable('the server did not send log messages');
}

/** `tokens`: the token of the call first. */
function refuseOther(window: CallExchange['window'], tokens: readonly unknown[], sent: CallExchange['sent']): void {
  const other = notificationsIn(window, PROGRESS).find(({ params }) => !tokens.includes(params.progressToken));
  if (!other) return;
  const found = JSON.stringify(other.params.progressToken) ?? 'none';
  violation(
    `The token of the request is ${JSON.stringify(tokens[0])}, that of the progress is ${found}.`,
    sent,
    other.frame,
  );
}

/** Tokens of calls that were not answered in time. The calls may still run. */
async function pendingTokens(ruleRun: ServerRuleRun): Promise<unknown[]> {
  const { calls } = await surveyOf(ruleRun);
  return calls.filter(({ received }) => !received).map(({ token }) => token);
}

async function progressing(ruleRun: ServerRuleRun): Promise<[CallExchange, ...CallExchange[]]> {
  const { calls } = await surveyOf(ruleRun);
  const [first, ...rest] = calls.filter(
    ({ window, received }) => received && notificationsIn(window, PROGRESS).length > 0,
  );
  return first ? [first, ...rest] : notApplicable('no permitted call sends progress');
}

function longCall(ruleRun: ServerRuleRun): Promise<LongCall> {
  if (!ruleRun.facts.capabilities.tools) notApplicable('the server does not declare tools');
  return beginLongCall(ruleRun);
}

/** Returns the notification. */
function cancel({ conversation, id }: LongCall): Entry {
  conversation.notify('notifications/cancelled', { requestId: id, reason: 'It takes too long' });
  return conversation.probe.transcript.entries.at(-1)!;
}
