// Rules about requests from a client, and about requests and notifications from the server.

import { isObject, type JsonObject, metaOf } from '../../../base/json-object.ts';
import { NEWEST_LEGACY } from '../../../mcp/revisions.ts';
import { mcp, responses } from '../../sources.ts';
import type { Entry } from '../../transcript.ts';
import { notApplicable, violation } from '../../verdict.ts';
import { type ClientRuleRun, clientRows, endOf, notReached } from '../client-rule-run.ts';
import {
  CURSORS,
  noise,
  older,
  PING,
  pages,
  plain,
  questions,
  silentOnDiscover,
  UNKNOWN_REQUEST,
} from '../scenarios.ts';

const pagination = mcp('server/utilities/pagination');
const undeclared = /^(?:prompts|resources|completion|logging|tasks)\//;

export const callRules = clientRows({ level: 'ADVICE' }, [
  {
    id: 'client-calls/declared-capabilities',
    level: 'SHOULD',
    title: 'use only capabilities that the server has declared',
    says: 'Both sides use only negotiated capabilities: prompts, resources, completion and logging require a server that declares them.',
    source: mcp('basic/lifecycle#operation'),
    fix: 'Read `capabilities` in the answer to `initialize` before you list prompts or resources.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: ({ servers }) => {
      const used = servers.flatMap(({ session }) => session).find(({ method }) => undeclared.test(method));
      if (used) violation(`The server declares only tools, and the client sent \`${used.method}\`.`);
    },
  },
  {
    id: 'client-calls/follows-pages',
    level: 'SHOULD',
    title: 'read a list to its last page',
    says: 'A list has more pages as long as its answer has a `nextCursor`. A client supports lists of one page and of several.',
    source: pagination,
    fix: 'Repeat `tools/list` with `cursor` until an answer has no `nextCursor`.',
    scenarios: [pages],
    check: (ruleRun) => {
      const cursors = listCursors(ruleRun);
      if (cursors.some((cursor) => !isOurs(cursor)))
        notApplicable('a cursor was changed (client-calls/opaque-cursors)');
      if (CURSORS.some((cursor) => !cursors.includes(cursor))) {
        const read = new Set(cursors).size + 1;
        violation(`The client read ${read} of ${CURSORS.length + 1} pages of tools.`, ...listFrames(ruleRun));
      }
    },
  },
  {
    id: 'client-calls/opaque-cursors',
    level: 'MUST',
    title: 'return a cursor unchanged',
    says: 'A cursor is opaque: the client does not interpret or change it.',
    source: pagination,
    fix: 'Return `nextCursor` as the same JSON string: not trimmed, decoded or encoded.',
    scenarios: [pages],
    check: (ruleRun) => {
      const cursors = listCursors(ruleRun);
      if (cursors.length === 0) notApplicable('the client reads only the first page');
      const changed = cursors.find((cursor) => !isOurs(cursor));
      if (changed !== undefined) {
        const shown = JSON.stringify(changed);
        violation(`The client sent the cursor ${shown}, which it had not received.`, ...listFrames(ruleRun));
      }
    },
  },
  {
    id: 'client-calls/unknown-notifications',
    title: 'ignore unknown notifications',
    says: 'Later revisions and extensions have further notifications. The client does not answer them and keeps the connection open.',
    fix: 'Ignore notifications of unknown methods.',
    scenarios: [noise],
    check: (ruleRun) => {
      ruleRun.goesOnAfter('tools/list', 'After a notification of an unknown method');
      const answer = ruleRun.messages.find((message) => message.method === undefined && 'error' in message);
      if (answer) violation('The client answered a notification with an error.');
    },
  },
  {
    id: 'client-calls/unknown-answers',
    title: 'ignore answers to unknown requests',
    says: 'The answer to a cancelled request, or to one that has timed out, may arrive late. It does not end the connection.',
    fix: 'Ignore answers whose id does not belong to a pending request.',
    scenarios: [noise],
    check: (ruleRun) => ruleRun.goesOnAfter('tools/call', 'After an answer with an unknown id', 'exits alike'),
  },
  {
    id: 'client-calls/unknown-members',
    title: 'ignore unknown members and capabilities',
    says: 'Results may have further members of later revisions, of extensions and of the server.',
    fix: 'Validate the members that you use, and accept all others.',
    until: NEWEST_LEGACY,
    scenarios: [questions],
    check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After a result with unknown members'),
  },
  {
    id: 'client-calls/list-changed',
    title: 'continue when a list changes while it is read',
    says: 'A server that has declared `listChanged` may send the notification at any time, even before the answer to `tools/list`.',
    fix: 'List the tools again after the notification, or ignore it.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: (ruleRun) => ruleRun.goesOnAfter('tools/list', 'After `notifications/tools/list_changed`', 'exits alike'),
  },
  {
    id: 'client-calls/answers-ping',
    level: 'MUST',
    title: 'answer a ping',
    says: 'The receiver of `ping` answers promptly with an empty result.',
    source: mcp('basic/utilities/ping'),
    fix: 'Answer {"jsonrpc":"2.0","id":<the same>,"result":{}}, even while a request of the client is pending.',
    until: NEWEST_LEGACY,
    scenarios: [questions],
    check: (ruleRun) => {
      for (const answer of answersTo(ruleRun, PING, notReached('tools/list'))) {
        if (!answer) violation('The client did not answer `ping`.');
        if (!isObject(answer.result)) violation('The client answered `ping` with an error.');
      }
    },
  },
  {
    id: 'client-calls/refuses-unknown-requests',
    level: 'MUST',
    title: 'answer an unknown request with an error',
    says: 'Every request is answered. If the client does not know its method, the answer is an error.',
    source: responses,
    fix: 'Answer every request of an unknown method with the error -32601, so that the server does not wait for it.',
    until: NEWEST_LEGACY,
    scenarios: [questions],
    check: (ruleRun) => {
      for (const answer of answersTo(ruleRun, UNKNOWN_REQUEST, 'the client did not call the tool `echo`')) {
        if (!answer) violation('The client did not answer a request of an unknown method.');
        if (!isObject(answer.error)) violation('The client answered a request of an unknown method with a result.');
      }
    },
  },
  {
    id: 'client-calls/takes-errors',
    title: 'finish a request that is answered with an error',
    says: 'An error ends its request. The client continues, or closes the connection and exits.',
    fix: 'Reject the promise or callback of the request when its answer has `error`.',
    until: NEWEST_LEGACY,
    scenarios: [questions],
    check: (ruleRun) => {
      const run = ruleRun.run();
      if (ruleRun.asked('tools/call').length === 0) notApplicable('the client did not call the tool `echo`');
      if (!run.clientRun.exitStatus) violation(`\`tools/call\` was answered with an error. ${endOf(run)}`);
    },
  },
  {
    id: 'client-calls/progress-tokens',
    level: 'MUST',
    title: 'use strings or integers as progress tokens',
    says: 'A client that wants progress notifications sends a `progressToken` in `_meta`: a string or an integer.',
    source: mcp('basic/utilities/progress', { '2026-07-28': 'basic/patterns/progress' }),
    fix: 'Use the id of the request as its progress token.',
    scenarios: [plain],
    check: (ruleRun) => {
      const tokens = ruleRun
        .asked()
        .map(({ params }) => metaOf(params)?.progressToken)
        .filter((token) => token !== undefined);
      if (tokens.length === 0) notApplicable('the client does not request progress');
      const other = tokens.find((token) => typeof token !== 'string' && !Number.isInteger(token));
      if (other !== undefined)
        violation(`The client sent the progress token ${JSON.stringify(other)}, not a string or an integer.`);
    },
  },
  {
    id: 'client-calls/cancels-its-own',
    level: 'MUST',
    title: 'cancel only its own requests, and never `initialize`',
    says: 'A cancellation names a request of the same sender. `initialize` is not cancelled.',
    source: mcp('basic/utilities/cancellation', { '2026-07-28': 'basic/patterns/cancellation' }),
    fix: 'Send `requestId` with the id of the request, of the same JSON type.',
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
          if (!request) {
            const shown = requestId === undefined ? 'a request without an id' : `the id ${JSON.stringify(requestId)}`;
            violation(`The client cancelled ${shown}, which it had not sent.`, frame);
          }
          if (request.method === 'initialize') violation('The client cancelled `initialize`.', frame);
        }
      }
      if (cancelled === 0) notApplicable('the client did not cancel a request');
    },
  },
]);

function listCursors(ruleRun: ClientRuleRun): unknown[] {
  const asked = ruleRun.asked('tools/list');
  if (asked.length === 0) notApplicable('the client does not list tools');
  return asked.map(({ params }) => params.cursor).filter((cursor) => cursor !== undefined);
}

/** The `tools/list` requests, and the answers with a cursor. */
function listFrames(ruleRun: ClientRuleRun): Entry[] {
  return ruleRun
    .evidence()
    .filter(({ bytes }) => /"tools\/list"|"nextCursor"/.test(Buffer.from(bytes).toString('utf8')));
}

function isOurs(cursor: unknown): boolean {
  return (CURSORS as readonly unknown[]).includes(cursor);
}

/** The answers from the client to a request from the server. Undefined for a missing answer. */
function answersTo({ servers }: ClientRuleRun, note: string, otherwise: string): (JsonObject | undefined)[] {
  const asked = servers.filter(({ notes }) => notes.has(note)).map(({ notes }) => notes.get(note));
  if (asked.length === 0) notApplicable(otherwise);
  return asked.map((answer) => (isObject(answer) ? answer : undefined));
}
