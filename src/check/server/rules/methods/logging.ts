// Log messages and their levels.

import { isLogLevel, LOG_LEVEL, logLevels, reaches } from '../../../../mcp/meta.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { Frame } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { exchange, INVALID_PARAMS, notificationsIn, proofOf, refused } from './exchange.ts';
import { callOnce, surveyOf } from './survey.ts';

const MESSAGE = 'notifications/message';
const undeclared = 'the server declares no logging';
const named = `${logLevels.slice(0, -1).join(', ')} and ${logLevels.at(-1)}`;

export const levelsAreAccepted: ServerRule = {
  id: 'methods/log-levels-are-accepted',
  level: 'ADVICE',
  title: 'accept every log level',
  says: 'A server that declares logging accepts `logging/setLevel` with each of the eight levels from debug to emergency.',
  source: { of: 'mcp', page: 'server/utilities/logging#log-levels' },
  fix: { any: `Accept ${named}.` },
  until: '2025-11-25',
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    if (!ruleRun.facts.capabilities.logging) notApplicable(undeclared);
    for (const level of [...logLevels].reverse()) {
      const made = await exchange(ruleRun, 'logging/setLevel', { level });
      if (made.failure) violation(made.failure, ...proofOf(made));
      if (!made.error || made.error.code === METHOD_NOT_FOUND) continue;
      violation(`The level ${level} was refused with ${describeError(made.error)}.`, ...proofOf(made));
    }
  },
};

export const unknownLevels: ServerRule = {
  id: 'methods/unknown-log-levels-are-refused',
  level: 'SHOULD',
  title: 'refuse an unknown log level with -32602',
  says: 'A log level that does not exist is refused with the code -32602.',
  source: { of: 'mcp', page: 'server/utilities/logging#error-handling' },
  fix: { any: `The levels are ${named}. Answer with the error -32602 if the level is none of them.` },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    if (!ruleRun.facts.capabilities.logging) notApplicable(undeclared);
    const level = 'standpipe-no-such-level';
    const isLegacy = ruleRun.era === 'legacy';
    const method = isLegacy ? 'logging/setLevel' : 'server/discover';
    const params = isLegacy ? { level } : { _meta: { [LOG_LEVEL]: level } };
    await refused(ruleRun, 'An unknown log level', { method, params, code: INVALID_PARAMS });
  },
};

export const logMessages: ServerRule = {
  id: 'methods/log-messages',
  level: 'MUST',
  title: 'send log messages with a known level and data',
  says: 'A log message has one of the eight levels, and `data`, which is any JSON value. `logger` is a string.',
  source: { of: 'mcp', page: 'server/utilities/logging#log-message-notifications' },
  fix: {
    any: `Send \`{"level": "info", "data": …}\`, with the text of the message in \`data\`. The levels are ${named}.`,
  },
  runs: 'each revision',
  uses: 'seen',
  check: ({ seen }) => {
    for (const { frame, params } of logsIn(seen.flatMap(({ frames }) => frames))) {
      const { level, logger } = params;
      if (!isLogLevel(level)) violation(`A log message has the level ${JSON.stringify(level)}.`, frame);
      if (!('data' in params)) violation('A log message has no data.', frame);
      if (logger !== undefined && typeof logger !== 'string') {
        violation(`A log message has the logger ${JSON.stringify(logger)}.`, frame);
      }
    }
  },
};

export const logsAreDeclared: ServerRule = {
  id: 'methods/logging-is-declared',
  level: 'MUST',
  title: 'declare logging if it sends log messages',
  says: 'A server that sends log messages declares the capability `logging`.',
  source: { of: 'mcp', page: 'server/utilities/logging#capabilities' },
  fix: { any: 'Declare the capability `logging`, or log to stderr.' },
  runs: 'each revision',
  uses: 'seen',
  check: ({ seen, facts }) => {
    const [first] = logsIn(seen.flatMap(({ frames }) => frames));
    if (first && !facts.capabilities.logging)
      violation('The server sent a log message and declares no logging.', first.frame);
  },
};

export const levelIsObeyed: ServerRule = {
  id: 'methods/log-level-is-obeyed',
  level: 'ADVICE',
  title: 'send no log messages below the chosen level',
  says: 'The level that a client chooses is the lowest one that it gets: with `logging/setLevel`, or since 2026-07-28 in `_meta` of a request.',
  source: {
    of: 'mcp',
    page: 'server/utilities/logging#setting-log-level',
    pages: { '2026-07-28': 'server/utilities/logging#per-request-log-level' },
  },
  fix: { any: 'Compare the level of each message with the chosen one before it is sent.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const { calls } = await surveyOf(ruleRun);
    const logging = calls.find(({ window }) =>
      notificationsIn(window, MESSAGE).some(({ params }) => isLogLevel(params.level) && params.level !== 'emergency'),
    );
    if (!logging) notApplicable('no call that may be made sends log messages');
    const level = 'emergency';
    if (ruleRun.era === 'legacy') await exchange(ruleRun, 'logging/setLevel', { level });
    const meta = ruleRun.era === 'modern' ? { [LOG_LEVEL]: level } : undefined;
    const { window, sent } = await callOnce(ruleRun, logging.call, meta);
    if (ruleRun.era === 'legacy') await exchange(ruleRun, 'logging/setLevel', { level: 'debug' });
    const below = notificationsIn(window, MESSAGE).find(({ params }) => !reaches(params.level, level));
    if (below)
      violation(`With the level ${level}, a message of the level ${below.params.level} was sent.`, sent, below.frame);
  },
};

function logsIn(frames: readonly Frame[]) {
  const found = notificationsIn(frames, MESSAGE);
  return found.length > 0 ? found : notApplicable('the server sent no log messages');
}
