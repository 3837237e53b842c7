// Which violations have one cause: a mistake of a server often violates several rules. A row names the rules that show a mistake best, and what
// else the same mistake violates. Only rules that are violated explain others.

import type { EvidenceLine, Outcome } from './report.ts';

interface Cause {
  /** Any of these, if it is violated. */
  readonly rules: readonly string[];
  /** Absent: all rules whose reason or frames match. */
  readonly explains?: readonly string[];
  readonly reason?: RegExp;
  /** Of a frame of the server. */
  readonly frame?: RegExp;
  /** What happened to the process. */
  readonly event?: RegExp;
}

const causes: readonly Cause[] = [
  { rules: ['lifecycle/keeps-running'], reason: /the server (?:closed its stdout|exited|was ended)/i },
  { rules: ['lifecycle/keeps-running'], reason: /no answer|not answered/, event: /^exited: / },
  { rules: ['jsonrpc/result-or-error'], reason: /has no `result` and no `error`/ },
  { rules: ['jsonrpc/error-ids-are-echoed'], reason: /an error with the id null/ },
  { rules: ['lifecycle/ping-before-initialized'], explains: ['lifecycle/ping-before-initialize'] },
  { rules: ['lifecycle/ping-before-initialized'], reason: /no answer to `ping`/ },
  { rules: ['lifecycle/capabilities'], explains: ['methods/capabilities-are-declared'] },
  {
    rules: ['methods/capabilities-are-declared'],
    explains: ['lifecycle/undeclared-capabilities-are-refused'],
  },
  // Requests that are longer than one read, or many at once.
  {
    rules: ['wire/split-writes'],
    explains: [
      'wire/answers-at-once',
      'wire/large-message-out',
      'wire/large-message-in',
      'wire/stderr-may-be-unread',
      'robustness/thousand-requests',
      'robustness/slow-reader',
      'robustness/memory',
    ],
  },
  { rules: ['wire/large-message-in'], explains: ['robustness/endless-line'] },
  // Threads write at the same time, a message and its newline in two writes.
  { rules: ['wire/messages-are-not-mixed-up'], explains: ['wire/one-message-per-line', 'wire/no-blank-lines'] },
  { rules: ['wire/one-message-per-line'], explains: ['wire/no-blank-lines'] },
  // Answers have the id of another request.
  {
    rules: ['jsonrpc/requests-at-once-are-answered'],
    explains: [
      'jsonrpc/answered-once',
      'robustness/thousand-requests',
      'robustness/slow-reader',
      'wire/stderr-may-be-unread',
    ],
    reason: /was answered \d+ times/,
  },
  { rules: ['wire/utf-8'], explains: ['wire/text-survives'] },
  {
    rules: ['jsonrpc/notifications-are-not-answered'],
    explains: [
      'jsonrpc/wrong-notifications-are-not-answered',
      'jsonrpc/unknown-notifications-are-ignored',
      'jsonrpc/batch-of-notifications',
      'methods/late-cancellations-are-ignored',
      'robustness/stray-notifications',
    ],
  },
  { rules: ['jsonrpc/notifications-are-not-answered'], explains: ['jsonrpc/no-stray-answers'], frame: /"id": ?null/ },
  {
    rules: ['jsonrpc/unknown-notifications-are-ignored'],
    explains: ['robustness/stray-notifications'],
    reason: /the server (?:closed its stdout|exited)/,
  },
  {
    rules: ['robustness/stray-notifications'],
    explains: [
      'jsonrpc/batches-are-answered',
      'jsonrpc/batch-of-notifications',
      'jsonrpc/batch-answers-are-one-list',
      'jsonrpc/batches-are-survived',
      'methods/late-cancellations-are-ignored',
    ],
    reason: /the server (?:closed its stdout|exited|was ended)/,
  },
  {
    rules: ['methods/calls-keep-the-server-alive'],
    explains: ['methods/missing-arguments-are-refused', 'methods/argument-types-are-checked'],
    reason: /the server (?:closed its stdout|exited|was ended)/,
  },
  { rules: ['methods/progress-tokens-are-echoed'], explains: ['methods/progress-needs-a-token'] },
  // Result and error are exchanged.
  { rules: ['jsonrpc/error-members'], frame: /"result": ?\{"code": ?-?\d+, ?"message"/ },
  { rules: ['jsonrpc/error-members'], reason: /\(without an integer code\)/ },
  {
    rules: ['jsonrpc/unknown-methods-are-refused'],
    explains: [
      'jsonrpc/method-not-found-code',
      'lifecycle/discover-is-answered',
      'lifecycle/undeclared-capabilities-are-refused',
      'modern/removed-methods',
    ],
  },
  { rules: ['jsonrpc/unknown-methods-are-refused'], reason: /no answer to a request with an unknown method/ },
  // Unknown methods end the server.
  {
    rules: ['jsonrpc/unknown-methods-are-refused'],
    explains: ['lifecycle/initialize-after-discover', 'robustness/huge-method'],
    reason: /not answered after `server\/discover`|the server (?:closed its stdout|exited|was ended)/,
  },
  // Errors are inside of `result`.
  { rules: ['jsonrpc/unknown-methods-are-refused'], frame: /"result": ?\{"error": ?\{"code":/ },
  {
    rules: ['jsonrpc/integer-ids-are-echoed', 'jsonrpc/string-ids-are-echoed'],
    explains: ['jsonrpc/string-ids-are-echoed', 'jsonrpc/no-stray-answers'],
  },
  {
    rules: ['lifecycle/unknown-version'],
    explains: ['lifecycle/future-version', 'lifecycle/known-versions'],
  },
  {
    rules: ['lifecycle/ends-with-stdin'],
    explains: [
      'lifecycle/ends-before-initialize',
      'lifecycle/ends-during-a-call',
      'lifecycle/exit-code',
      'robustness/half-message-at-the-end',
    ],
  },
  {
    rules: ['robustness/garbage-text'],
    explains: [
      'jsonrpc/parse-error',
      'wire/blank-lines-are-taken',
      'robustness/control-characters',
      'robustness/invalid-utf-8',
      'robustness/other-json',
      'robustness/deep-nesting',
      'robustness/endless-line',
    ],
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
  { rules: ['methods/prompt-entries'], explains: ['methods/prompts-can-be-got'] },
  { rules: ['methods/prompt-results'], explains: ['methods/content-blocks'], reason: /of the prompt "/ },
  { rules: ['methods/output-schemas'], explains: ['methods/structured-output-fits'] },
  {
    rules: [
      'lifecycle/capabilities',
      'lifecycle/server-info',
      'lifecycle/instructions',
      'methods/tool-entries',
      'methods/tool-annotations',
      'methods/tool-results',
      'methods/content-blocks',
      'methods/content-annotations',
      'methods/resource-entries',
      'methods/resource-contents',
      'methods/template-entries',
      'methods/prompt-entries',
      'methods/prompt-results',
      'methods/completion-results',
      'methods/icons',
      'methods/meta-keys',
      'modern/result-type',
      'modern/ttl',
      'modern/cache-scope',
    ],
    explains: ['methods/results-fit-the-schema'],
  },
  {
    rules: ['modern/meta-is-required'],
    explains: ['modern/version-is-required', 'modern/version-is-a-string', 'modern/capabilities-are-required'],
  },
  {
    rules: ['modern/unsupported-version'],
    explains: ['modern/version-of-each-request', 'modern/unsupported-version-data'],
  },
];

/** The rules that the table names, for the test that compares it with the rules. */
export const rulesWithCauses: readonly string[] = causes.flatMap(({ rules, explains = [] }) => [...rules, ...explains]);

/** The violation `effect` comes from the mistake that `cause` shows. */
export function explains(cause: Outcome, effect: Outcome): boolean {
  if (cause.rule === effect.rule) return false;
  return causes.some((row) => {
    if (!row.rules.includes(cause.rule) || row.explains?.includes(effect.rule) === false) return false;
    if (row.reason && !row.reason.test(effect.reason ?? '')) return false;
    if (row.event && !textsOf(effect, 'event').some((text) => row.event!.test(text))) return false;
    return !row.frame || textsOf(effect, 'received').some((text) => row.frame!.test(text));
  });
}

/** One rule in two ways, reasons that differ only in names, numbers and quotations, or the same text on stdout. */
export function isSameMistake(a: Outcome, b: Outcome): boolean {
  if (a.rule === b.rule || isSameReason(a, b)) return true;
  return strayLine(a) !== undefined && strayLine(a) === strayLine(b);
}

/** Only names, numbers and quotations differ. */
export function isSameReason(a: Outcome, b: Outcome): boolean {
  return patternOf(a) === patternOf(b);
}

/** The pattern takes a time with the square of the length. */
const MOST_REASON_CHARS = 1000;

function patternOf({ rule, reason = rule }: Outcome): string {
  return reason.slice(0, MOST_REASON_CHARS).replace(/`[^`]*`|"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|\d[\d,.]*/g, '…');
}

function textsOf({ evidence = [] }: Outcome, of: EvidenceLine['kind']): string[] {
  return evidence.filter(({ kind }) => kind === of).map(({ text }) => text);
}

/** The last frame, if it is not JSON or a line of it: text that does not belong on stdout. */
function strayLine(outcome: Outcome): string | undefined {
  const line = textsOf(outcome, 'received').at(-1)?.trim();
  return line !== undefined && line !== '' && !/^[[{\]}"]/.test(line) ? line : undefined;
}
