// `standpipe check`: tests a server or a client against the rules of its protocol.

import type { Check, RuleInfo } from '../../../check/checks.ts';
import type { CheckReport } from '../../../check/report/report.ts';
import { type Revision, revisionsOfMcp } from '../../../mcp/revisions.ts';
import { readNamedCall } from '../check/named-call.ts';
import { checkReportFiles, saveReports } from '../check/report-files.ts';
import { commandToCheck } from '../check/target.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, type Invocation, invalidOption } from '../invocation.ts';
import { printRows } from '../output/table.ts';
import { collect, countOf, help } from './server-options.ts';

interface Options {
  client?: boolean;
  litemcp?: boolean;
  only?: string[];
  skip?: string[];
  rule?: string[];
  strict?: boolean;
  allowCalls?: string[];
  longCall?: string;
  revision?: Revision[];
  baseline?: string;
  updateBaseline?: boolean;
  junit?: string;
  html?: string;
  list?: boolean;
  env?: string[];
  cwd?: string;
  concurrency?: number;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] <server> | -- <command …>')
    .argument('[words...]', 'name of a server in the config')
    .option('--client', 'test a client; Standpipe plays the server')
    .option('--litemcp', 'use LiteMCP instead of MCP')
    .option('--only <families>', 'run these families or rules; * is a wildcard; repeatable', collectList)
    .option('--skip <families>', 'skip these families or rules; repeatable', collectList)
    .option('--rule <id>', 'run this rule; --verbose shows its messages; repeatable', collect)
    .option('--strict', 'also fail on a violated SHOULD')
    .option('--allow-calls <call>', `allow calls of a tool: name, name={"a":1} or '*'; repeatable`, collect)
    .option('--long-call <call>', 'call that takes at least 5 s and may be cancelled: name={"a":1}')
    .option('--revision <date>', 'test only this MCP revision; repeatable', collectRevision)
    .option('--baseline <file>', 'accept the violations that this file lists')
    .option('--update-baseline', 'write the violations of this run to --baseline')
    .option('--junit <file>', 'write a JUnit XML report')
    .option('--html <file>', 'write an HTML report')
    .option('--list', 'list the rules')
    .option('--env <name=value>', 'set an environment variable; repeatable', collect)
    .option('--cwd <folder>', 'working folder')
    .option('--concurrency <number>', 'limit for concurrent processes (default: 4)', countOf('--concurrency'));
  help(
    command,
    `Tools are called only if they are marked as read-only (readOnlyHint), or named
by --allow-calls or --long-call. --timeout limits each answer (default: 10s).

With --client, {server} in the command becomes the command of the server that
Standpipe plays, and {config} the path of an mcp.json with it.

A violated MUST is only a warning if it occurs in revisions older than the
newest one of the server, or if a known SDK causes it. In a revision named by
--revision it is a failure.

Exit code: 0 no rule failed (with --strict: no warning either), 1 a rule failed,
2 the command line is wrong, 3 the command cannot be started, 4 no rule failed,
but some were not tested in time.`,
    'check -- python3 server.py',
    'check weather --strict --junit check.xml --html check.html',
    'check weather --baseline check-baseline.json --update-baseline',
    'check --rule wire/only-messages --verbose -- node server.mjs',
    `check --allow-calls 'search={"query":"x"}' -- node server.mjs`,
    'check --only wire,jsonrpc --revision 2025-11-25 -- node server.mjs',
    'check --client -- node client.mjs {server}',
    `check --litemcp --allow-calls '*' -- python3 calculator.py`,
    'check --list',
  );
  command.action(run(check));
};

const check: CommandBody = async (invocation, words, options) => {
  const given = options as Options;
  await warnOfRemoved(invocation, given);
  if (given.list) return list(invocation, given);
  await checkReportFiles(given);
  const { readBaseline, withBaseline } = await import('../check/report-files.ts');
  const baseline = await readBaseline(given);
  const report = await withBaseline(await runCheck(invocation, words, given), baseline, given);
  const { out, settings } = invocation;
  if (given.updateBaseline) out.say(`Saved ${given.baseline}`);
  const saved = await saveReports(report, given);
  for (const file of saved) out.say(`Saved ${file}`);
  if (out.json) out.document(report);
  else {
    const { textOf } = await import('../../../check/report/text.ts');
    const width = out.onTerminal ? { width: out.width } : {};
    const { strict = false } = given;
    out.write(textOf(report, { paint: out.paint, verbose: settings.verbose ?? false, strict, ...width }));
  }
  const { isFailure, isIncomplete } = await import('../../../check/report/report.ts');
  const fails = report.outcomes.some((outcome) => isFailure(outcome, given.strict ?? false));
  if (fails) return ExitCode.ruleViolated;
  return isIncomplete(report) ? ExitCode.timeout : ExitCode.done;
};

async function warnOfRemoved({ out }: Invocation, { only = [], rule = [], skip = [] }: Options): Promise<void> {
  const { removedRules } = await import('../../../check/select-rules.ts');
  const named = [...only, ...rule, ...skip];
  for (const id of removedRules.filter((each) => named.includes(each)))
    out.tell('warning', `The rule ${id} was removed. Delete it from the command line.`);
}

async function runCheck(invocation: Invocation, words: string[], given: Options): Promise<CheckReport> {
  const { out, settings, signal } = invocation;
  const { target, protocol } = await commandToCheck(invocation, words, given);
  const role = given.client ? 'client' : 'server';
  const { checks } = await import('../../../check/checks.ts');
  const check = checks[role][given.litemcp ? 'litemcp' : protocol];
  const { rule = [], only = [], skip, concurrency } = given;
  const label = `checking the ${role}`;
  out.activity.begin(label);
  try {
    return await check.run({
      ...target,
      ...optionsOf(check, given),
      only: [...only, ...rule],
      signal,
      allEvidence: settings.verbose === true && rule.length > 0,
      ...(skip && { skip }),
      ...(concurrency && { concurrency }),
      ...(settings.timeoutMs && { timeoutMs: settings.timeoutMs }),
      onoutcome: (outcome, done, of) =>
        out.activity.progress({ progress: done, total: of, message: `${done}/${of} ${outcome.rule}` }),
    });
  } finally {
    out.activity.end();
  }
}

function optionsOf({ has }: Check, { revision, allowCalls, longCall }: Options) {
  const given = {
    ...(revision && { revisions: revision }),
    ...(allowCalls && { allowCalls: allowCalls.map((text) => readNamedCall('--allow-calls', text)) }),
    ...(longCall && { longCall: readNamedCall('--long-call', longCall) }),
  };
  const names = { revisions: '--revision', allowCalls: '--allow-calls', longCall: '--long-call' };
  const needless = (Object.keys(given) as (keyof typeof given)[]).find((name) => !has.includes(name));
  if (needless === undefined) return given;
  throw invalidOption(`${names[needless]} does not apply to this check`, 'Remove it.');
}

async function list(
  { out }: Invocation,
  { client, litemcp, only = [], rule = [], skip = [] }: Options,
): Promise<number> {
  const [{ rulesOf }, { selectRules }] = await Promise.all([
    import('../../../check/checks.ts'),
    import('../../../check/select-rules.ts'),
  ]);
  const all = rulesOf(client ? 'client' : 'server', litemcp ? 'litemcp' : 'mcp');
  const rules = selectRules(all, { only: [...only, ...rule], skip });
  if (out.json) out.document({ rules });
  else {
    const rows = rules.map((rule) => [rule.id, bothLevels(rule), since(rule.revisions), rule.title]);
    printRows(out, ['RULE', 'LEVEL', 'REVISIONS', 'TITLE'], rows);
  }
  return ExitCode.done;
}

function bothLevels({ level, levels = {}, revisions }: RuleInfo): string {
  const older = revisions.find((each) => levels[each]);
  return older ? `${level} (${levels[older]} until ${older})` : level;
}

function since(revisions: readonly Revision[]): string {
  if (revisions.length === 0 || revisions.length === revisionsOfMcp.length) return 'all';
  if (revisions.length === 1) return revisions[0]!;
  return `${revisions.at(-1)} to ${revisions[0]}`;
}

function collectList(value: string, before: string[] = []): string[] {
  return [
    ...before,
    ...value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ];
}

function collectRevision(value: string, before: Revision[] = []): Revision[] {
  const found = revisionsOfMcp.find((revision) => revision === value);
  if (found) return revisionsOfMcp.filter((revision) => revision === found || before.includes(revision));
  throw invalidOption(`"${value}" is not a revision of MCP`, `The revisions: ${revisionsOfMcp.join(', ')}`);
}
