// Finds the rule whose messages end a server. A rule is tested again if a process ended by itself during or after the rule. Only this
// rule uses the processes of the second test. If one of them ends by itself, the messages of the rule are the cause, unless the server
// also ends without messages.

import { isObject } from '../base/json-object.ts';
import { parsed } from './parsed-json.ts';
import type { ProcessUnderTest } from './process-under-test.ts';
import type { RuleRun } from './rule-run.ts';
import type { Entry } from './transcript.ts';
import { NotApplicable, notApplicable, OutOfTime, Violation } from './verdict.ts';

/** How the end of a server is judged. */
export interface EndOfServer {
  /** Id of the rule that reports it if the messages of this rule end the server. */
  readonly endIsReportedBy?: string;
  /** True if the fix of the rule is about servers that exit. */
  readonly fixIsAboutEnd?: true;
  /** True if the rule reports servers that also end without messages. */
  readonly isAboutIdleEnd?: true;
}

const CATCH_IT =
  'Read the error on stderr. An exception in the handler of the message or in work that it started ends the process, and so does a call of exit: catch the exception, and continue with the next message.';

const saysThatItEnded = /the server (?:closed its stdout|exited|was ended)/i;
const MOST_NAMED = 3;

/** A violation in a process that has ended does not count if the server also ends without messages. */
export async function checkUnlessItEnds<P extends ProcessUnderTest>(
  { isAboutIdleEnd }: EndOfServer,
  ruleRun: RuleRun<P>,
  check: () => Promise<void> | void,
  endsAnyway: () => Promise<boolean>,
): Promise<void> {
  const thrown = await verdictOf(check);
  if (!thrown) return;
  const isOfEnd =
    thrown instanceof Violation &&
    !(thrown instanceof OutOfTime) &&
    (ruleRun.hasEnded || saysThatItEnded.test(thrown.message));
  if (isOfEnd && !isAboutIdleEnd && (await endsAnyway()))
    notApplicable('the server ends by itself, even without messages (lifecycle/keeps-running)');
  throw thrown;
}

/** `endsAnyway` resolves to true if the server also ends without messages. `usual`: a method that all rules send to wait for answers. */
export async function checkAlone<P extends ProcessUnderTest>(
  { endIsReportedBy, fixIsAboutEnd }: EndOfServer,
  ruleRun: RuleRun<P>,
  check: () => Promise<void> | void,
  endsAnyway: () => Promise<boolean>,
  usual?: string,
): Promise<void> {
  const thrown = await verdictOf(check);
  const process = thrown instanceof OutOfTime ? undefined : await ruleRun.endedLater();
  if (!process || (await endsAnyway())) {
    if (thrown) throw thrown;
    return;
  }
  if (endIsReportedBy) notApplicable(`the server exits after the messages of the rule (${endIsReportedBy})`);
  if (thrown instanceof Violation) {
    if (fixIsAboutEnd || thrown.fix !== undefined || !saysThatItEnded.test(thrown.message)) throw thrown;
    throw new Violation(thrown.message, thrown.proof, CATCH_IT);
  }
  const { sent, end } = partsOf(ruleRun.evidence(), usual);
  const reason = `After ${namesOf(sent)}, ${await process.howItEnded()} by itself, although its stdin was open.`;
  throw new Violation(reason, [...sent.slice(-MOST_NAMED), ...end], fixIsAboutEnd ? undefined : CATCH_IT);
}

async function verdictOf(check: () => Promise<void> | void): Promise<Violation | NotApplicable | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Violation || error instanceof NotApplicable) return error;
    throw error;
  }
}

/**
 * The messages of the rule without requests of `usual`, and the evidence of the end: stderr first, because the exit
 * event can precede the last stderr output.
 */
function partsOf(entries: readonly Entry[], usual: string | undefined): { sent: Entry[]; end: Entry[] } {
  const of = (kind: Entry['kind']) => entries.filter((entry) => entry.kind === kind);
  const special = of('sent').filter((entry) => usual === undefined || methodOf(entry) !== usual);
  const sent = special.length > 0 ? special : of('sent');
  return { sent, end: [...of('stderr'), ...of('event')] };
}

function namesOf(sent: readonly Entry[]): string {
  const methods = [...new Set(sent.map(methodOf))];
  if (methods.length > MOST_NAMED || methods.includes(undefined)) return 'the messages of this rule';
  return methods.map((method) => `\`${method}\``).join(' or ');
}

function methodOf({ bytes }: Entry): string | undefined {
  const message = parsed(Buffer.from(bytes).toString('utf8'));
  const method = isObject(message) ? message.method : undefined;
  return typeof method === 'string' && method.length < 100 ? method : undefined;
}
