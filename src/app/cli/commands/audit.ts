// `standpipe audit`: shows and verifies the audit trail of `up --audit`.

import { globMatcher } from '../../../base/glob.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { AuditCall, AuditHeader, AuditLine, AuditRefusal } from '../../../host/audit/audit-line.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, durationOf } from '../invocation.ts';
import { printRows } from '../output/table.ts';
import { countOf, examples } from './server-options.ts';

interface ShowOptions {
  principal?: string;
  server?: string;
  tool?: string;
  outcome?: string;
  since?: number;
  last: number;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .command('show')
    .description('list the newest calls with their principals and outcomes')
    .argument('<file>', 'audit trail; its rotated files are read too')
    .option('--principal <name>', 'show only calls of this principal; * is a wildcard')
    .option('--server <name>', 'show only calls to this server; * is a wildcard')
    .option('--tool <name>', 'show only calls of this tool, prompt or URI; * is a wildcard')
    .option('--outcome <name>', 'show only this outcome: ok, tool_error, refused, …; * is a wildcard')
    .option('--since <time>', 'show only calls newer than this: 30s, 10m, 2h', durationOf('--since'))
    .option('--last <number>', 'list at most this many calls', countOf('--last'), 100)
    .action(run(show));
  command
    .command('verify')
    .description('check that no line was changed, removed or inserted')
    .argument('<file>', 'audit trail; its rotated files are read too')
    .option('--expect <hash>', 'a last hash that was printed earlier must be in the trail')
    .action(run(verify));
  examples(
    command,
    'audit show audit.jsonl',
    "audit show audit.jsonl --principal ci --tool 'delete_*' --json",
    'audit verify audit.jsonl',
  );
};

/** A call, joined with the line that records its end. */
export interface AuditedCall extends Omit<AuditCall, 'kind' | 'run' | 'seq'> {
  readonly node?: string | undefined;
  /** `running` if the trail has no end of the call: the call is running, or its host was killed. */
  outcome: string;
  ms?: number;
}

const show: CommandBody = async ({ out }, [file], options) => {
  const { readAudit } = await import('../../../host/audit/read-audit.ts');
  const calls = new LastCalls(options as unknown as ShowOptions);
  const { problems, missing } = await readAudit(file!, (line, header) => calls.take(line, header));
  const rows = calls.rows();
  if (out.json) out.document({ calls: rows, missing, problems: problems.length });
  else {
    printRows(
      out,
      ['TIME', 'PRINCIPAL', 'CLIENT', 'SERVER', 'METHOD', 'TARGET', 'OUTCOME', 'MS'],
      rows.map(({ at, principal = '', client = '', server, method, target = '', outcome, ms }) => [
        at,
        principal,
        client,
        server,
        method,
        target,
        { text: outcome, colour: outcome === 'ok' ? undefined : 'yellow' },
        ms === undefined ? '' : String(ms),
      ]),
    );
    if (rows.length === 0) out.say('No call in the audit trail matches.');
  }
  if (problems.length > 0)
    out.tell('warning', `The trail has been changed: ${visibleLine(problems[0]!.problem)}. See \`audit verify\`.`);
  return ExitCode.done;
};

/** The newest calls that match. Memory is bounded: a call that is not among them is forgotten. */
class LastCalls {
  readonly #options: ShowOptions;
  readonly #calls = new Map<string, AuditedCall>();
  readonly #fromMs: number;

  constructor(options: ShowOptions) {
    this.#options = options;
    this.#fromMs = options.since === undefined ? Number.NEGATIVE_INFINITY : Date.now() - options.since;
  }

  take(line: AuditLine, header: AuditHeader | undefined): void {
    if (line.kind === 'call' || line.kind === 'refused') this.#began(line, header);
    if (line.kind !== 'end') return;
    const key = `${line.run} ${line.call}`;
    const call = this.#calls.get(key);
    if (!call) return;
    call.outcome = line.outcome;
    call.ms = line.ms;
    if (!this.#isWanted(line.outcome, this.#options.outcome)) this.#calls.delete(key);
  }

  /** A call without an end is listed as running. */
  rows(): AuditedCall[] {
    const { outcome, last } = this.#options;
    return [...this.#calls.values()].filter((call) => this.#isWanted(call.outcome, outcome)).slice(-last);
  }

  #began(line: AuditCall | AuditRefusal, header: AuditHeader | undefined): void {
    const { principal, server, tool, last } = this.#options;
    const { kind, run, seq, ...facts } = line;
    const isWanted =
      this.#isWanted(line.principal ?? '', principal) &&
      this.#isWanted(line.server, server) &&
      this.#isWanted(line.target ?? '', tool) &&
      Date.parse(line.at) >= this.#fromMs;
    if (!isWanted) return;
    const outcome = kind === 'refused' ? 'refused' : 'running';
    this.#calls.set(`${run} ${seq}`, { ...facts, node: header?.node, outcome });
    // The outcome of the newest calls is not known yet, so more calls are kept than are shown.
    if (this.#calls.size > last + MOST_RUNNING) this.#calls.delete(this.#calls.keys().next().value!);
  }

  #isWanted(text: string, pattern: string | undefined): boolean {
    return pattern === undefined || globMatcher(pattern)(text);
  }
}

const MOST_RUNNING = 10_000;

const verify: CommandBody = async ({ out }, [file], options) => {
  const { expect } = options as { expect?: string };
  const { readAudit } = await import('../../../host/audit/read-audit.ts');
  const verdict = await readAudit(file!, undefined, expect);
  const isRight = verdict.problems.length === 0 && verdict.hasExpected !== false;
  if (out.json) out.document({ ...verdict, ok: isRight });
  else {
    const { problems, lines, runs, openRuns, missing, isCut, last, hasExpected } = verdict;
    for (const { file: where, line, problem } of problems)
      out.write(`${visibleLine(`${where}:${line}: ${problem}`)}\n`);
    if (hasExpected === false) out.write(`The hash ${visibleLine(expect!)} is not in the trail\n`);
    const open = openRuns > 0 ? `, of which ${openRuns} have no end (killed, or still running)` : '';
    out.say(
      `${lines} lines of ${runs} runs${open}: ${isRight ? 'the chain is complete' : 'the trail has been changed'}.`,
    );
    if (isCut) out.say('Older lines were deleted by rotation.');
    if (missing > 0) out.say(`${missing} lines could not be written when their calls ran.`);
    if (last !== undefined) out.say(`Last hash: ${last}`);
  }
  return isRight ? ExitCode.done : ExitCode.toolError;
};
