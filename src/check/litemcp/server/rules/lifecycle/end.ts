// Rules about the end of a server. The specification does not define it; hosts stop servers this way. Most rules use one process.
// It is at rest when its stdin ends: whether it reads requests that arrive together with the end depends on how fast it is.

import type { ExitStatus } from '../../../../../wire/process/server-process.ts';
import type { StopRung } from '../../../../../wire/process/tree/stop-ladder.ts';
import { perRevision } from '../../../../server/per-revision.ts';
import type { Entry } from '../../../../transcript.ts';
import { notApplicable, violation } from '../../../../verdict.ts';
import type { LiteRuleRun } from '../../lite-rule-run.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';

const common = {
  level: 'ADVICE',
  source: { of: 'standpipe' },
  uses: 'own',
} as const satisfies Partial<LiteServerRule>;

interface Ending {
  exit: ExitStatus | undefined;
  /** The step that stopped the process tree. */
  rung: StopRung;
  proof: Entry[];
}

const ending = perRevision(async (ruleRun: LiteRuleRun): Promise<Ending> => {
  const probe = await ruleRun.start(ruleRun.timeoutMs);
  await probe.info();
  await probe.barrier('"get"');
  probe.endInput();
  const exit = await probe.exitStatus();
  const rung = await probe.stop();
  return { exit, rung, proof: probe.transcript.entries };
});

const DOES_NOT_EXIT = 'the process does not exit (litemcp-lifecycle/end-of-stdin)';

export const endOfInput: LiteServerRule = {
  ...common,
  id: 'litemcp-lifecycle/end-of-stdin',
  title: 'exit at the end of stdin',
  says: 'A client that has exited closes stdin. A server that goes on then runs without a client.',
  fix: {
    node: 'Close timers, servers and sockets at the "end" of process.stdin, or call process.exit().',
    java: 'End the threads that are not daemons when System.in ends, or call System.exit(0).',
    any: 'Leave the loop that reads stdin at its end, and end the process.',
  },
  check: async (ruleRun) => {
    const { exit, proof } = await ending(ruleRun);
    if (exit) return;
    violation(`The process did not exit within ${ruleRun.timeoutMs / 1000} s of the end of stdin.`, ...proof);
  },
};

export const exitCode: LiteServerRule = {
  ...common,
  id: 'litemcp-lifecycle/exit-code',
  title: 'exit with code 0 at the end of stdin',
  says: 'The end of stdin is the ordinary way to end. Another code than 0 makes supervisors report a crash.',
  fix: { any: 'Exit with code 0 at the end of stdin: it is not an error.' },
  check: async (ruleRun) => {
    const { exit, proof } = await ending(ruleRun);
    if (!exit) notApplicable(DOES_NOT_EXIT);
    const end = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.exitCode}`;
    if (exit.exitCode !== 0) violation(`The server ${end} at the end of stdin.`, ...proof);
  },
};

export const nothingLeft: LiteServerRule = {
  ...common,
  id: 'litemcp-lifecycle/no-process-left',
  title: 'end child processes before the exit',
  says: 'A server that exits has ended the processes that it started.',
  fix: {
    any: 'End child processes before the exit, and start wrappers with exec so that they are replaced by the server.',
  },
  check: async (ruleRun) => {
    const { exit, rung, proof } = await ending(ruleRun);
    if (!exit) notApplicable(DOES_NOT_EXIT);
    if (rung === 'already-exited' || rung === 'stdin') return;
    violation('A process that the server started was still running after its exit.', ...proof);
  },
};

export const sigterm: LiteServerRule = {
  ...common,
  id: 'litemcp-lifecycle/sigterm',
  title: 'exit at SIGTERM',
  says: 'A host that stops a server sends SIGTERM if the end of stdin was not enough.',
  fix: {
    python: 'Do not ignore SIGTERM; a handler ends with sys.exit().',
    node: "Call process.exit() in a listener of 'SIGTERM', or have none.",
    any: 'Leave the default action of SIGTERM, or exit in its handler.',
  },
  check: async (ruleRun) => {
    if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
    const probe = await ruleRun.start();
    await probe.info();
    probe.kill('SIGTERM');
    if (!(await probe.exitStatus()))
      violation(`The process did not exit within ${ruleRun.timeoutMs / 1000} s of SIGTERM.`);
  },
};
