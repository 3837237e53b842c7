// The rules of a check as test cases of Vitest, Jest, `node:test` and others. Invariants: the cases are known before a process starts; they share
// one run, which starts with the first case; a rule never counts as passed if the check could not run.

import { PeerError } from '../base/errors.ts';
import { checks, type Protocol, type Role } from './checks.ts';
import type { CheckReport } from './report/report.ts';
import { isViolated, type RuleResult, ruleResults } from './report/rule-results.ts';
import { violationText } from './report/text.ts';
import { titleOf } from './rule.ts';
import { selectRules } from './select-rules.ts';
import type { CheckServerOptions } from './server/check-server.ts';

export interface DefineCheckOptions extends CheckServerOptions {
  /** `test` or `it` of the test runner. */
  test: (name: string, run: () => Promise<void>, timeoutMs: number) => unknown;
  describe?: (name: string, define: () => void) => unknown;
  /** Name of the group. Default: `standpipe check`. */
  name?: string;
  /** Default: `server`. */
  role?: Role;
  /** Default: `mcp`. */
  protocol?: Protocol;
  /** A violated SHOULD fails its case. Otherwise it is a warning. A violated ADVICE never fails its case. */
  strict?: boolean;
  /** Time limit of the whole run. Default: 2 minutes. */
  runTimeoutMs?: number;
  /** Receives warnings and advice. Default: `console.warn`. */
  onwarning?: (text: string) => void;
}

/** Defines a test case for each rule. The returned function resolves to the report, for example to write it to a file. */
export function defineCheck(options: DefineCheckOptions): () => Promise<CheckReport> {
  const { test, describe, name = 'standpipe check', role = 'server', protocol = 'mcp' } = options;
  const { rules, run } = checks[role][protocol];
  const selected = selectRules(rules, options);
  let running: Promise<CheckReport> | undefined;
  const report = () => (running ??= run(options));
  const define = () => {
    for (const rule of selected) {
      test(`${rule.id}: ${titleOf(rule)}`, testCase(rule.id), options.runTimeoutMs ?? 120_000);
    }
  };
  /** A function without parameters, because Jest treats a function with a parameter as one with a callback. */
  function testCase(id: string): () => Promise<void> {
    return async function () {
      // biome-ignore lint/complexity/noArguments: see above
      const [context] = arguments as unknown as [{ skip?: (reason?: string) => void } | undefined];
      const results = ruleResults(await report());
      const found = results.find((result) => result.id === id);
      // If the server does not open, only the rule about that is violated. It may not be selected.
      const reason = found && isViolated(found) ? found : results.find((each) => isViolated(each) && !isSelected(each));
      if (reason) judgeCase(reason, options);
      else if (found?.groups.some(({ first }) => first.untested)) throw new PeerError('RULE_UNTESTED', lateText(found));
      else if (!found) context?.skip?.('the rule does not apply to the revisions of the server');
      else if (found.status === 'not applicable') context?.skip?.(found.groups[0]!.first.reason);
    };
  }
  const isSelected = (result: RuleResult) => selected.some(({ id }) => id === result.id);
  if (describe) describe(name, define);
  else define();
  return report;
}

function lateText({ groups }: RuleResult): string {
  return `The rule was not tested: ${groups.find(({ first }) => first.untested)!.first.reason}`;
}

function judgeCase(result: RuleResult, { strict = false, onwarning = console.warn }: DefineCheckOptions): void {
  const text = violationText(result);
  if (result.status === 'advice' || (result.status === 'warning' && !strict)) onwarning(text);
  else throw new PeerError('RULE_VIOLATED', text, { hint: result.groups[0]!.first.fix });
}
