// Violations with a common cause: a mistake of a server often violates several rules. A row names the rules that show a mistake best, and the
// other rules that it violates. Only violated rules explain others.

import type { EvidenceLine, Outcome } from './report.ts';

interface Cause {
  readonly rules: readonly string[];
  /** Default: all rules whose reason or frames match. */
  readonly explains?: readonly string[];
  readonly reason?: RegExp;
  /** Matches a frame of the server. */
  readonly frame?: RegExp;
  /** Matches an event of the process. */
  readonly event?: RegExp;
}

/** Splits a text of ids at whitespace. */
function ids(text: string): string[] {
  return text.trim().split(/\s+/);
}

const ENDED = /the server (?:closed its stdout|exited|was ended)/;

const causes: readonly Cause[] = [
  { rules: ['lifecycle/keeps-running'], reason: new RegExp(ENDED, 'i') },
  { rules: ['lifecycle/keeps-running'], reason: /no answer|not answered/, event: /^exited: / },
  { rules: ['jsonrpc/result-or-error'], reason: /has no `result` and no `error`/ },
  { rules: ['jsonrpc/error-ids-are-echoed'], reason: /an error with the id null/ },
  { rules: ['lifecycle/ping-before-initialized'], explains: ['lifecycle/ping-before-initialize'] },
  { rules: ['lifecycle/ping-before-initialized'], reason: /no answer to `ping`/ },
  { rules: ['lifecycle/capabilities'], explains: ['methods/capabilities-are-declared'] },
  { rules: ['methods/capabilities-are-declared'], explains: ['lifecycle/undeclared-capabilities-are-refused'] },
  { rules: ['skills/resources-are-declared'], explains: ['methods/capabilities-are-declared'] },
  {
    rules: ['apps/views-exist', 'skills/files-can-be-read'],
    explains: ['methods/resources-can-be-read'],
    reason: /"(?:ui|skill):/,
  },
  // Requests that are longer than one read, or many at once.
  {
    rules: ['wire/split-writes'],
    explains: ids(`
      wire/answers-at-once wire/large-message-out wire/large-message-in wire/stderr-may-be-unread
      robustness/thousand-requests robustness/slow-reader robustness/memory`),
  },
  { rules: ['wire/large-message-in'], explains: ['robustness/endless-line'] },
  // Threads write concurrently, a message and its newline in two writes.
  { rules: ['wire/messages-are-not-mixed-up'], explains: ['wire/one-message-per-line', 'wire/no-blank-lines'] },
  { rules: ['wire/one-message-per-line'], explains: ['wire/no-blank-lines'] },
  // Answers have the id of another request.
  {
    rules: ['jsonrpc/requests-at-once-are-answered'],
    explains: ids(`
      jsonrpc/answered-once robustness/thousand-requests robustness/slow-reader wire/stderr-may-be-unread`),
    reason: /was answered \d+ times/,
  },
  { rules: ['jsonrpc/no-batches'], explains: ['jsonrpc/empty-batch', 'jsonrpc/batch-answers-are-one-list'] },
  { rules: ['wire/utf-8'], explains: ['wire/text-survives'] },
  {
    rules: ['jsonrpc/notifications-are-not-answered'],
    explains: ids(`
      jsonrpc/wrong-notifications-are-not-answered jsonrpc/unknown-notifications-are-ignored
      jsonrpc/batch-of-notifications methods/late-cancellations-are-ignored robustness/stray-notifications`),
  },
  { rules: ['jsonrpc/notifications-are-not-answered'], explains: ['jsonrpc/no-stray-answers'], frame: /"id": ?null/ },
  {
    rules: ['jsonrpc/unknown-notifications-are-ignored'],
    explains: ['robustness/stray-notifications'],
    reason: /the server (?:closed its stdout|exited)/,
  },
  {
    rules: ['robustness/stray-notifications'],
    explains: ids(`
      jsonrpc/batches-are-answered jsonrpc/batch-of-notifications jsonrpc/batch-answers-are-one-list
      jsonrpc/batches-are-survived methods/late-cancellations-are-ignored`),
    reason: ENDED,
  },
  {
    rules: ['methods/calls-keep-the-server-alive'],
    explains: ['methods/missing-arguments-are-refused', 'methods/argument-types-are-checked'],
    reason: ENDED,
  },
  { rules: ['methods/progress-tokens-are-echoed'], explains: ['methods/progress-needs-a-token'] },
  // Result and error are swapped.
  { rules: ['jsonrpc/error-members'], frame: /"result": ?\{"code": ?-?\d+, ?"message"/ },
  { rules: ['jsonrpc/error-members'], reason: /\(without an integer code\)/ },
  {
    rules: ['jsonrpc/unknown-methods-are-refused'],
    explains: ids(`
      jsonrpc/method-not-found-code lifecycle/discover-is-answered lifecycle/undeclared-capabilities-are-refused
      modern/removed-methods`),
  },
  { rules: ['jsonrpc/unknown-methods-are-refused'], reason: /no answer to a request with an unknown method/ },
  // Unknown methods end the server.
  {
    rules: ['jsonrpc/unknown-methods-are-refused'],
    explains: [
      'lifecycle/initialize-after-discover',
      'methods/capabilities-are-declared',
      'modern/removed-methods',
      'robustness/huge-method',
    ],
    reason: /not answered after `server\/discover`|the server (?:closed its stdout|exited|was ended)/,
  },
  // Errors are inside `result`.
  { rules: ['jsonrpc/unknown-methods-are-refused'], frame: /"result": ?\{"error": ?\{"code":/ },
  {
    rules: ['jsonrpc/integer-ids-are-echoed', 'jsonrpc/string-ids-are-echoed'],
    explains: ['jsonrpc/string-ids-are-echoed', 'jsonrpc/no-stray-answers'],
  },
  { rules: ['lifecycle/unknown-version'], explains: ['lifecycle/future-version', 'lifecycle/known-versions'] },
  {
    rules: ['lifecycle/ends-with-stdin'],
    explains: ids(`
      lifecycle/ends-before-initialize lifecycle/ends-during-a-call lifecycle/exit-code
      robustness/half-message-at-the-end`),
  },
  {
    rules: ['robustness/garbage-text'],
    explains: ids(`
      jsonrpc/parse-error wire/blank-lines-are-taken robustness/control-characters robustness/invalid-utf-8
      robustness/other-json robustness/deep-nesting robustness/endless-line`),
    reason: /the server (?:closed its stdout|exited)/,
  },
  {
    rules: ['methods/missing-arguments-are-refused'],
    explains: ['methods/argument-types-are-checked', 'methods/member-names'],
  },
  { rules: ['methods/tool-output-is-accepted'], explains: ['methods/tool-errors-are-results'] },
  { rules: ['methods/unknown-tools-are-refused'], explains: ['jsonrpc/invalid-params'], reason: /`tools\/call`/ },
  {
    rules: ['methods/unknown-resources-are-not-found'],
    explains: ['jsonrpc/invalid-params'],
    reason: /`resources\/read`/,
  },
  { rules: ['methods/lists-end'], explains: ['methods/pages-do-not-overlap'] },
  { rules: ['methods/prompt-entries'], explains: ['methods/prompts-can-be-got'] },
  { rules: ['methods/prompt-results'], explains: ['methods/content-blocks'], reason: /of the prompt "/ },
  { rules: ['methods/output-schemas'], explains: ['methods/structured-output-fits'] },
  {
    rules: ids(`
      lifecycle/capabilities lifecycle/server-info lifecycle/instructions methods/tool-entries methods/tool-annotations
      methods/tool-results methods/content-blocks methods/content-annotations methods/resource-entries
      methods/resource-contents methods/template-entries methods/prompt-entries methods/prompt-results
      methods/completion-results methods/icons methods/meta-keys modern/result-type modern/ttl modern/cache-scope`),
    explains: ['methods/results-fit-the-schema'],
  },
  {
    rules: ['modern/meta-is-required'],
    explains: ids('modern/version-is-required modern/version-is-a-string modern/capabilities-are-required'),
  },
  {
    rules: ['modern/unsupported-version'],
    explains: ['modern/version-of-each-request', 'modern/unsupported-version-data'],
  },
];

/** All ids in the table, for a test. */
export const rulesWithCauses: readonly string[] = causes.flatMap(({ rules, explains = [] }) => [...rules, ...explains]);

/** Whether the mistake that `cause` shows also causes the violation `effect`. */
export function explains(cause: Outcome, effect: Outcome): boolean {
  if (cause.rule === effect.rule) return false;
  return causes.some((row) => {
    if (!row.rules.includes(cause.rule) || row.explains?.includes(effect.rule) === false) return false;
    if (row.reason && !row.reason.test(effect.reason ?? '')) return false;
    if (row.event && !textsOf(effect, 'event').some((text) => row.event!.test(text))) return false;
    return !row.frame || textsOf(effect, 'received').some((text) => row.frame!.test(text));
  });
}

/** Whether both outcomes have the same rule, the same stray output, or reasons that differ only in names, numbers and quotations. */
export function isSameMistake(a: Outcome, b: Outcome): boolean {
  if (a.rule === b.rule || isSameReason(a, b)) return true;
  return strayLine(a) !== undefined && strayLine(a) === strayLine(b);
}

export function isSameReason(a: Outcome, b: Outcome): boolean {
  return patternOf(a) === patternOf(b);
}

/** Limit of a reason in characters: the time for the pattern grows with the square of the length. */
const MOST_REASON_CHARS = 1000;

function patternOf({ rule, reason = rule }: Outcome): string {
  return reason.slice(0, MOST_REASON_CHARS).replace(/`[^`]*`|"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|\d[\d,.]*/g, '…');
}

function textsOf({ evidence = [] }: Outcome, of: EvidenceLine['kind']): string[] {
  return evidence.filter(({ kind }) => kind === of).map(({ text }) => text);
}

/** The last frame if it is stray output: neither JSON nor a line of JSON. */
function strayLine(outcome: Outcome): string | undefined {
  const line = textsOf(outcome, 'received').at(-1)?.trim();
  return line !== undefined && line !== '' && !/^[[{\]}"]/.test(line) ? line : undefined;
}
