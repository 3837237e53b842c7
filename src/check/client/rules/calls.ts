// Requests of a client, and what it does with those of the server.

import { isObject } from '../../../base/json-object.ts';
import { NEWEST_LEGACY } from '../../../mcp/revisions.ts';
import type { Source } from '../../rule.ts';
import type { Entry } from '../../transcript.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import { type ClientRuleRun, endOf } from '../client-rule-run.ts';
import { CURSORS, PING, UNKNOWN_REQUEST } from '../scenarios/disturbances.ts';
import { noise, older, pages, plain, questions, silentOnDiscover } from '../scenarios/index.ts';

const pagination: Source = { of: 'mcp', page: 'server/utilities/pagination' };
const expected: Source = { of: 'standpipe' };

export const declaredOnly: ClientRule = {
  id: 'client-calls/declared-capabilities',
  level: 'SHOULD',
  title: 'use only what the server has declared',
  says: 'Both sides use only the capabilities that were negotiated: prompts, resources, completion and logging only of servers that declare them.',
  source: { of: 'mcp', page: 'basic/lifecycle#operation' },
  fix: { any: 'Look at `capabilities` in the answer to `initialize` before you list prompts or resources.' },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: ({ servers }) => {
    const used = servers.flatMap(({ session }) => session).find(({ method }) => undeclared.test(method));
    if (used) violation(`The server declares only tools, and the client sent \`${used.method}\`.`);
  },
};

const undeclared = /^(?:prompts|resources|completion|logging|tasks)\//;

export const followsPages: ClientRule = {
  id: 'client-calls/follows-pages',
  level: 'SHOULD',
  title: 'read a list to its last page',
  says: 'A list has more pages as long as its answer has a `nextCursor`. A client supports lists of one page and of several.',
  source: pagination,
  fix: { any: 'Repeat `tools/list` with `cursor` until an answer has no `nextCursor`.' },
  scenarios: [pages],
  check: (ruleRun) => {
    const cursors = listCursors(ruleRun.asked('tools/list'));
    if (cursors.some((cursor) => !isOurs(cursor)))
      notApplicable('a cursor did not come back (client-calls/opaque-cursors)');
    if (CURSORS.some((cursor) => !cursors.includes(cursor))) {
      const read = new Set(cursors).size + 1;
      violation(`The client read ${read} of ${CURSORS.length + 1} pages of tools.`, ...listFrames(ruleRun));
    }
  },
};

export const opaqueCursors: ClientRule = {
  id: 'client-calls/opaque-cursors',
  level: 'MUST',
  title: 'return a cursor as it was',
  says: 'A cursor is opaque: the client does not read or change it.',
  source: pagination,
  fix: { any: 'Send `nextCursor` back as the same JSON string: not trimmed, not decoded, not encoded.' },
  scenarios: [pages],
  check: (ruleRun) => {
    const cursors = listCursors(ruleRun.asked('tools/list'));
    if (cursors.length === 0) notApplicable('the client reads the first page only');
    const changed = cursors.find((cursor) => !isOurs(cursor));
    if (changed !== undefined) {
      violation(`The client sent the cursor ${JSON.stringify(changed)}, which it never got.`, ...listFrames(ruleRun));
    }
  },
};

function listCursors(asked: readonly { params: Readonly<Record<string, unknown>> }[]): unknown[] {
  if (asked.length === 0) notApplicable('the client does not list tools');
  return asked.map(({ params }) => params.cursor).filter((cursor) => cursor !== undefined);
}

/** The requests for tools, and the pages with a cursor. */
function listFrames(ruleRun: ClientRuleRun): Entry[] {
  return ruleRun
    .evidence()
    .filter(({ bytes }) => /"tools\/list"|"nextCursor"/.test(Buffer.from(bytes).toString('utf8')));
}

function isOurs(cursor: unknown): boolean {
  return (CURSORS as readonly unknown[]).includes(cursor);
}

export const unknownNotifications: ClientRule = {
  id: 'client-calls/unknown-notifications',
  level: 'ADVICE',
  title: 'ignore unknown notifications',
  says: 'Later revisions and extensions have further notifications. They are not answered, and they end nothing.',
  source: { of: 'standpipe' },
  fix: { any: 'Ignore notifications of unknown methods.' },
  scenarios: [noise],
  check: (ruleRun) => {
    ruleRun.goesOnAfter('tools/list', 'After a notification of an unknown method');
    const answer = ruleRun.messages.find((message) => message.method === undefined && 'error' in message);
    if (answer) violation('The client answered a notification with an error.');
  },
};

export const unknownAnswers: ClientRule = {
  id: 'client-calls/unknown-answers',
  level: 'ADVICE',
  title: 'ignore answers to unknown requests',
  says: 'The answer to a request that was cancelled or has timed out may arrive late. It does not end the connection.',
  source: { of: 'standpipe' },
  fix: { any: 'Ignore answers with an id that is not pending.' },
  scenarios: [noise],
  check: (ruleRun) => ruleRun.goesOnAfter('tools/call', 'After an answer with an unknown id', 'exits alike'),
};

export const unknownMembers: ClientRule = {
  id: 'client-calls/unknown-members',
  level: 'ADVICE',
  title: 'ignore unknown members and capabilities',
  says: 'Results may have further members: those of later revisions, of extensions and of the server.',
  source: expected,
  fix: { any: 'Validate the members that you use, and let all others pass.' },
  until: NEWEST_LEGACY,
  scenarios: [questions],
  check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After a result with unknown members'),
};

export const listChanged: ClientRule = {
  id: 'client-calls/list-changed',
  level: 'ADVICE',
  title: 'survive a list that changes while it is read',
  says: 'A server that has declared `listChanged` may send the notification at any time, also before the answer to `tools/list`.',
  source: { of: 'standpipe' },
  fix: { any: 'List the tools again after the notification, or ignore it.' },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: (ruleRun) => ruleRun.goesOnAfter('tools/list', 'After `notifications/tools/list_changed`', 'exits alike'),
};

export const answersPing: ClientRule = {
  id: 'client-calls/answers-ping',
  level: 'MUST',
  title: 'answer a ping',
  says: 'The receiver of `ping` answers promptly with an empty result.',
  source: { of: 'mcp', page: 'basic/utilities/ping' },
  fix: { any: 'Answer {"jsonrpc":"2.0","id":<the same>,"result":{}}, also while a request of the client is pending.' },
  until: NEWEST_LEGACY,
  scenarios: [questions],
  check: ({ servers }) => {
    const asked = servers.filter(({ notes }) => notes.has(PING));
    if (asked.length === 0) notApplicable('the client did not get to `tools/list` (other rules say why)');
    for (const { notes } of asked) {
      const answer = notes.get(PING);
      if (!isObject(answer)) violation('The client did not answer `ping`.');
      if (!isObject(answer.result)) violation('The client answered `ping` with an error.');
    }
  },
};

export const refusesUnknown: ClientRule = {
  id: 'client-calls/refuses-unknown-requests',
  level: 'MUST',
  title: 'answer an unknown request with an error',
  says: 'A request is always answered. If the client does not know its method, the answer is an error.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: {
    any: 'Answer every request of an unknown method with the error -32601, so that the server does not wait for it.',
  },
  until: NEWEST_LEGACY,
  scenarios: [questions],
  check: ({ servers }) => {
    const asked = servers.filter(({ notes }) => notes.has(UNKNOWN_REQUEST));
    if (asked.length === 0) notApplicable('the client did not call the tool `echo`');
    for (const { notes } of asked) {
      const answer = notes.get(UNKNOWN_REQUEST);
      if (!isObject(answer)) violation('The client did not answer a request of an unknown method.');
      if (!isObject(answer.error)) violation('The client answered a request of an unknown method with a result.');
    }
  },
};

export const survivesErrors: ClientRule = {
  id: 'client-calls/takes-errors',
  level: 'ADVICE',
  title: 'end a request at an error',
  says: 'A request that is answered with an error is over. The client goes on, or closes the connection and exits.',
  source: { of: 'standpipe' },
  fix: { any: 'Reject what waits for the request when an answer has `error`.' },
  until: NEWEST_LEGACY,
  scenarios: [questions],
  check: (ruleRun) => {
    const run = ruleRun.run();
    if (ruleRun.asked('tools/call').length === 0) notApplicable('the client did not call the tool `echo`');
    if (!run.clientRun.exitStatus) violation(`\`tools/call\` was answered with an error. ${endOf(run)}`);
  },
};

export const progressTokens: ClientRule = {
  id: 'client-calls/progress-tokens',
  level: 'MUST',
  title: 'use strings or integers as progress tokens',
  says: 'A client that wants progress notifications sends a `progressToken` in `_meta`: a string or an integer.',
  source: { of: 'mcp', page: 'basic/utilities/progress', pages: { '2026-07-28': 'basic/patterns/progress' } },
  fix: { any: 'Use the id of the request as its progress token.' },
  scenarios: [plain],
  check: (ruleRun) => {
    const tokens = ruleRun.asked().flatMap(({ params: { _meta: meta } }) => {
      return isObject(meta) && meta.progressToken !== undefined ? [meta.progressToken] : [];
    });
    if (tokens.length === 0) notApplicable('the client asks for no progress');
    const other = tokens.find((token) => typeof token !== 'string' && !Number.isInteger(token));
    if (other !== undefined) violation(`The client sent the progress token ${JSON.stringify(other)}.`);
  },
};

export const cancelsItsOwn: ClientRule = {
  id: 'client-calls/cancels-its-own',
  level: 'MUST',
  title: 'cancel only its own requests, and never `initialize`',
  says: 'A cancellation names a request that was sent in the same direction. `initialize` is not cancelled.',
  source: { of: 'mcp', page: 'basic/utilities/cancellation', pages: { '2026-07-28': 'basic/patterns/cancellation' } },
  fix: { any: 'Send `requestId` with the id of the request, of the same JSON type.' },
  scenarios: [plain, silentOnDiscover],
  check: ({ servers }) => {
    let cancelled = 0;
    for (const { asked, frames } of servers) {
      for (const frame of frames) {
        const { json } = frame;
        if (!isObject(json) || json.method !== 'notifications/cancelled') continue;
        cancelled++;
        const requestId = isObject(json.params) ? json.params.requestId : undefined;
        const request = asked.find(({ id }) => id === requestId);
        if (!request)
          violation(`The client cancelled ${JSON.stringify(requestId) ?? 'no id'}, which it had not sent.`, frame);
        if (request.method === 'initialize') violation('The client cancelled `initialize`.', frame);
      }
    }
    if (cancelled === 0) notApplicable('the client cancelled no request');
  },
};

export const callRules = [
  declaredOnly,
  followsPages,
  opaqueCursors,
  unknownNotifications,
  unknownAnswers,
  unknownMembers,
  listChanged,
  answersPing,
  refusesUnknown,
  survivesErrors,
  progressTokens,
  cancelsItsOwn,
];
