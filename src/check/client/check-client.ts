// `checkClient`: the check of an MCP client.

import { isObject, metaOf } from '../../base/json-object.ts';
import { CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../mcp/meta.ts';
import { NEWEST_LEGACY, type Revision, revisionsOfMcp } from '../../mcp/revisions.ts';
import type { Seams } from '../jobs.ts';
import { type CheckReport, introduction } from '../report/report.ts';
import { appliesTo } from '../server/server-rule.ts';
import { ClientRuleRun } from './client-rule-run.ts';
import { type CheckClientOptions, judgeClient } from './judge-client.ts';
import { clientRules } from './rules/index.ts';
import { askedIn, hasOpened, type Run, runScenario } from './scenario.ts';
import { plain, scenarios } from './scenarios.ts';
import { taskScenarios } from './task-scenarios.ts';

export type { CheckClientOptions };

/**
 * The client is started once for each scenario. In its arguments, `{server}` stands for the words of the command that starts our server, and
 * `{config}` for the path of an `mcp.json` with one server, `check`. The environment has both: STANDPIPE_CHECK_SERVER (a JSON array) and
 * STANDPIPE_CHECK_CONFIG; STANDPIPE_CHECK_SCENARIO is the name of the scenario. It is expected to connect, to list the tools, to call the tool
 * `echo` with a `text`, to close and to exit with code 0.
 */
export function checkClient(options: CheckClientOptions, { budget }: Seams = {}): Promise<CheckReport> {
  const check = {
    protocol: 'mcp',
    rules: clientRules,
    opens: 'client-lifecycle/opens',
    scenarios: [...taskScenarios, ...scenarios],
    plain,
    run: runScenario,
    hasOpened,
    begin: (rule: (typeof clientRules)[number], runs: readonly Run[], first: Run) => {
      const ruleRun = new ClientRuleRun(rule, runs, first);
      return { runs: ruleRun.runs, evidence: () => ruleRun.evidence(), check: () => rule.check(ruleRun) };
    },
    about: (runs: readonly Run[]) => ({ ...nameIn(runs), revisions: revisionsIn(runs) }),
    // A client with an unknown revision is treated like one before 2026-07-28.
    revisionOf: (rule: (typeof clientRules)[number], revisions: readonly Revision[]) =>
      (revisions.length > 0 ? revisions : [NEWEST_LEGACY]).find((each) => appliesTo(rule, each)),
  } as const;
  return judgeClient(check, options, budget);
}

/** The revisions that the client requested, newest first. */
function revisionsIn(runs: readonly Run[]): Revision[] {
  const versions = runs
    .flatMap((run) => askedIn(run))
    .map(({ method, params, era }) => {
      if (era === 'modern') return metaOf(params)?.[PROTOCOL_VERSION_KEY];
      return method === 'initialize' ? params.protocolVersion : undefined;
    });
  return revisionsOfMcp.filter((revision) => versions.includes(revision));
}

function nameIn(runs: readonly Run[]): Pick<CheckReport, 'name' | 'version'> {
  for (const { params } of runs.flatMap((run) => askedIn(run))) {
    const info = params.clientInfo ?? metaOf(params)?.[CLIENT_INFO];
    if (isObject(info)) return introduction(info, runs[0]!.clientRun.redact);
  }
  return {};
}
