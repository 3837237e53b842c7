// How a client ends its server. The specification does not define it.

import { endOf, requireStdinClosed } from '../../../client/client-rule-run.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { LiteClientRule } from '../lite-client-rule.ts';
import { plain, stubborn } from '../scenarios.ts';

const source = { of: 'standpipe' } as const;

export const closesStdin: LiteClientRule = {
  id: 'litemcp-client/closes-stdin',
  level: 'ADVICE',
  title: 'end the server by closing its stdin',
  says: 'A server that reads the end of its stdin finishes its work and exits. A signal does not let it.',
  source,
  fix: {
    node: 'Call child.stdin.end() and wait for the exit event before child.kill().',
    python: 'Close process.stdin and wait for the process before process.terminate().',
    any: 'Close the pipe to stdin of the server, and wait for its exit before a signal is sent.',
  },
  scenarios: [plain],
  check: ({ servers }) => requireStdinClosed(servers),
};

export const leavesNoServer: LiteClientRule = {
  id: 'litemcp-client/leaves-no-server',
  level: 'ADVICE',
  title: 'leave no server behind',
  says: 'A client ends a server that does not exit at the end of its stdin with a signal, in the end with SIGKILL.',
  source,
  fix: {
    node: "Wait for the exit event; after a few seconds call child.kill('SIGTERM'), and after some more child.kill('SIGKILL').",
    python: 'Use process.wait(timeout=…), then process.terminate(), process.wait(timeout=…) and process.kill().',
    any: 'Wait for the exit of the server for a few seconds, then send SIGTERM, then SIGKILL, and only then exit.',
  },
  scenarios: [stubborn],
  check: ({ runs: [run] }) => {
    const { clientRun } = run!;
    if (clientRun.leftBehind.length > 0) violation('The server still ran when the client had exited.');
    if (!clientRun.exitStatus) violation(`The client waited for the exit of the server without end. ${endOf(run!)}`);
  },
};

export const exits: LiteClientRule = {
  id: 'litemcp-client/exits',
  level: 'ADVICE',
  title: 'exit when the work is done',
  says: 'After the server was stopped, nothing of it keeps the program alive.',
  source,
  fix: { any: 'Close the connection, and release its pipes, timers and threads.' },
  scenarios: [plain],
  check: ({ plain: { clientRun } }) => {
    if (!clientRun.exitStatus) violation('The client did not exit.');
  },
};

export const exitCode: LiteClientRule = {
  id: 'litemcp-client/exit-code',
  level: 'ADVICE',
  title: 'exit with code 0 after calls without errors',
  says: 'The exit code tells scripts and CI systems whether a program has done its work.',
  source,
  fix: { any: 'Look at what the client prints: it has seen an error in a conversation without one.' },
  scenarios: [plain],
  check: ({ plain: run }) => {
    if (!run.clientRun.exitStatus) notApplicable('the client did not exit (litemcp-client/exits)');
    if (run.clientRun.exitStatus.exitCode !== 0) violation(endOf(run));
  },
};

export const shutdownRules = [closesStdin, leavesNoServer, exits, exitCode];
