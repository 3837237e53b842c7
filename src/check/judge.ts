// Runs the function of a rule and converts its result to an outcome.

import type { Revision } from '../mcp/revisions.ts';
import { type Language, languageOf } from '../wire/diagnosis/language.ts';
import type { Budget } from './budget.ts';
import type { ProcessUnderTest } from './process-under-test.ts';
import { allEvidence, evidenceOf } from './report/evidence.ts';
import type { Outcome, Status } from './report/report.ts';
import { type Level, levelOf, linkOf, type RuleText, titleOf } from './rule.ts';
import type { Target } from './target.ts';
import { type Entry, withCauses } from './transcript.ts';
import { NotApplicable, OutOfTime, Violation } from './verdict.ts';

export interface Judging {
  /** The revision; absent where the protocol has one version. */
  revision?: Revision;
  language: Language | undefined;
  /** Masks secrets in quotations of the report. */
  hide: (text: string) => string;
  /** The traffic over the pipes. */
  evidence: () => readonly Entry[];
  /** Limits the memory of the evidence. */
  budget: Budget;
  /** Also keeps the evidence of passed rules. */
  allEvidence?: boolean;
}

/**
 * The context of a rule for a server under test. Without a rule run, the evidence is the whole traffic of its
 * processes.
 */
export function serverJudging(
  { command, args = [], allEvidence = false }: Target & { allEvidence?: boolean },
  { observed }: { readonly observed: readonly ProcessUnderTest[] },
  budget: Budget,
  ruleRun?: { evidence(): readonly Entry[] },
): Judging {
  const server = observed[0]?.process;
  return {
    budget,
    language: languageOf([command, ...args].join(' ')),
    hide: (text) => server?.redact(text) ?? text,
    evidence: () => ruleRun?.evidence() ?? observed.flatMap(({ transcript }) => transcript.entries),
    allEvidence,
  };
}

/** Rethrows errors that are not verdicts. */
export async function judge(rule: RuleText, judging: Judging, run: () => Promise<void> | void): Promise<Outcome> {
  const startMs = performance.now();
  let thrown: unknown;
  try {
    await run();
  } catch (error) {
    thrown = error;
  }
  const durationMs = Math.round(performance.now() - startMs);
  const { revision, hide } = judging;
  const base = {
    rule: rule.id,
    level: levelOf(rule, revision),
    title: titleOf(rule, revision),
    ...(revision && { revision }),
  };
  const evidence = judging.allEvidence
    ? { evidence: judging.budget.evidence(evidenceOf(judging.evidence(), hide, allEvidence)) }
    : {};
  if (thrown === undefined) return { ...base, status: 'passed', ...evidence, durationMs };
  if (thrown instanceof NotApplicable || thrown instanceof OutOfTime) {
    const untested = thrown instanceof OutOfTime ? { untested: true as const } : {};
    const reason = shortened(hide, thrown.message);
    return { ...base, status: 'not applicable', reason, ...untested, ...evidence, durationMs };
  }
  if (thrown instanceof Violation) return { ...base, ...violated(rule, thrown, judging), durationMs };
  throw thrown;
}

const statusOf: Readonly<Record<Level, Status>> = { MUST: 'failed', SHOULD: 'warning', ADVICE: 'advice' };

function violated(rule: RuleText, thrown: Violation, judging: Judging) {
  const { revision, language, hide } = judging;
  const { message, proof } = thrown;
  return {
    status: statusOf[levelOf(rule, revision)],
    reason: shortened(hide, message),
    says: rule.says,
    link: linkOf(rule, revision),
    fix: thrown.fix ?? (language && rule.fix[language]) ?? rule.fix.any,
    evidence: judging.budget.evidence(
      judging.allEvidence
        ? evidenceOf([...new Set([...judging.evidence(), ...(proof ?? [])])], hide, allEvidence)
        : evidenceOf(proof ? withCauses(proof) : judging.evidence(), hide),
    ),
  } as const;
}

const MOST_REASON_CHARS = 2_000;

/** A reason may quote output of the program. It is masked before it is cut, so that secrets are complete. */
function shortened(hide: (text: string) => string, reason: string): string {
  const text = hide(reason.slice(0, 4 * MOST_REASON_CHARS));
  return text.length > MOST_REASON_CHARS ? `${text.slice(0, MOST_REASON_CHARS)}…` : text;
}
