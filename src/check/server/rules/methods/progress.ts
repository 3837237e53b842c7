// Progress of calls.

import { jsonKind } from '../../../../base/json-object.ts';
import type { Source } from '../../../rule.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { notificationsIn } from './exchange.ts';
import { type CallExchange, callOnce, surveyOf } from './survey.ts';

const PROGRESS = 'notifications/progress';
const NUMBER_TOKEN = 4711;

function page(anchor: string): Source {
  return {
    of: 'mcp',
    page: `basic/utilities/progress#${anchor}`,
    pages: { '2026-07-28': `basic/patterns/progress#${anchor}` },
  };
}

export const progressTokens: ServerRule = {
  id: 'methods/progress-tokens-are-echoed',
  level: 'MUST',
  title: 'send progress with the token of the request',
  says: 'Progress refers to the token of an active request. Tokens are strings or integers and keep their type.',
  source: {
    of: 'mcp',
    page: 'basic/utilities/progress#behavior-requirements',
    pages: { '2026-07-28': 'basic/patterns/progress#behavior-requirements' },
  },
  fix: { any: 'Send `progressToken` as it was in `_meta` of the request, without a conversion to text.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const calls = await progressing(ruleRun);
    const pending = await pendingTokens(ruleRun);
    for (const { token, window, sent } of calls) refuseOther(window, [token, ...pending], sent);
    const { window, sent } = await callOnce(ruleRun, calls[0]!.call, { progressToken: NUMBER_TOKEN });
    refuseOther(window, [NUMBER_TOKEN, ...pending], sent);
  },
};

/** The first token is that of the call. */
function refuseOther(window: CallExchange['window'], tokens: readonly unknown[], sent: CallExchange['sent']): void {
  const other = notificationsIn(window, PROGRESS).find(({ params }) => !tokens.includes(params.progressToken));
  if (!other) return;
  const found = JSON.stringify(other.params.progressToken);
  violation(`The token was ${JSON.stringify(tokens[0])}, and the progress has ${found ?? 'none'}.`, sent, other.frame);
}

/** Tokens of calls that were not answered in time. They may still run. */
async function pendingTokens(ruleRun: ServerRuleRun): Promise<unknown[]> {
  const { calls } = await surveyOf(ruleRun);
  return calls.filter(({ received }) => !received).map(({ token }) => token);
}

export const progressNeedsAToken: ServerRule = {
  id: 'methods/progress-needs-a-token',
  level: 'MUST',
  title: 'not send progress without a token',
  says: 'Progress is sent only for requests that have a progress token.',
  source: page('behavior-requirements'),
  fix: { any: 'Send progress only if `_meta.progressToken` is present.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const [{ call }] = await progressing(ruleRun);
    const { window, sent } = await callOnce(ruleRun, call);
    const pending = await pendingTokens(ruleRun);
    const progress = notificationsIn(window, PROGRESS).find(({ params }) => !pending.includes(params.progressToken));
    if (progress) violation('The request had no progress token, and the server sent progress.', sent, progress.frame);
  },
};

export const progressIncreases: ServerRule = {
  id: 'methods/progress-increases',
  level: 'MUST',
  title: 'increase progress with each notification',
  says: 'The value of `progress` is a number that increases with each notification, also if the total is not known.',
  source: page('progress-flow'),
  fix: {
    any: 'Write `progress` and `total` as numbers, and count up: each notification of a request has a greater `progress` than the one before.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    for (const { window, sent } of await progressing(ruleRun)) {
      const last = new Map<unknown, number>();
      for (const { params, frame } of notificationsIn(window, PROGRESS)) {
        const { progress, progressToken, total } = params;
        if (typeof progress !== 'number') violation(`The progress is ${jsonKind(progress)}.`, sent, frame);
        if (total !== undefined && typeof total !== 'number')
          violation(`The total is ${jsonKind(total)}.`, sent, frame);
        const before = last.get(progressToken);
        if (before !== undefined && progress <= before) {
          violation(`The progress ${progress} came after ${before}.`, sent, frame);
        }
        last.set(progressToken, progress);
      }
    }
  },
};

export const progressStops: ServerRule = {
  id: 'methods/progress-stops',
  level: 'MUST',
  title: 'not send progress after the answer',
  says: 'Progress stops when the request is completed.',
  source: page('implementation-notes'),
  fix: {
    python: 'Await each send of progress before the tool returns.',
    node: 'Await each notification of progress before the tool returns, and clear its timers.',
    any: 'Send all progress before the answer, and stop timers that send it.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    for (const { window, received, sent, token } of await progressing(ruleRun)) {
      if (!received) continue;
      const after = notificationsIn(window.slice(window.indexOf(received) + 1), PROGRESS);
      const late = after.find(({ params }) => params.progressToken === token);
      if (late) violation('The server sent progress after the answer.', sent, received, late.frame);
    }
  },
};

async function progressing(ruleRun: ServerRuleRun): Promise<[CallExchange, ...CallExchange[]]> {
  const { calls } = await surveyOf(ruleRun);
  const [first, ...rest] = calls.filter(
    ({ window, received }) => received && notificationsIn(window, PROGRESS).length > 0,
  );
  return first ? [first, ...rest] : notApplicable('no call that may be made sends progress');
}
