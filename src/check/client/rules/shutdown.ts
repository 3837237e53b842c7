// How a client ends its server.

import { before } from '../../rule.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import { type ClientRuleRun, endOf, endsWithError, requireStdinClosed } from '../client-rule-run.ts';
import { crashAtCall, crashAtStart, plain, stubborn } from '../scenarios/index.ts';

const source = {
  of: 'mcp',
  page: 'basic/lifecycle#shutdown',
  pages: { '2026-07-28': 'basic/transports/stdio#shutdown' },
} as const;

export const closesStdin: ClientRule = {
  id: 'client-shutdown/closes-stdin',
  level: 'SHOULD',
  title: 'end the server by closing its stdin',
  says: 'A client closes stdin of the server and waits for its exit. Signals are for servers that do not exit then.',
  source,
  fix: {
    node: 'Call child.stdin.end() and wait for the exit event before child.kill().',
    python: 'Close process.stdin and wait for the process before process.terminate().',
    any: 'Close the pipe to stdin of the server, and wait for its exit for a few seconds before a signal is sent.',
  },
  scenarios: [plain],
  check: ({ servers }) => requireStdinClosed(servers),
};

export const sigtermBeforeSigkill: ClientRule = {
  id: 'client-shutdown/sigterm-before-sigkill',
  level: 'ADVICE',
  levels: before('2026-07-28', 'SHOULD'),
  title: 'send SIGTERM before SIGKILL',
  says: 'If a server does not exit within a reasonable time after its stdin was closed, the client sends SIGTERM, and SIGKILL only after that.',
  source,
  fix: { any: 'Send SIGTERM first. Wait for the exit for a few seconds before SIGKILL.' },
  scenarios: [stubborn],
  check: ({ servers }) => {
    if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
    for (const { server } of servers) {
      if (server.wasKilled && !server.has('SIGTERM')) violation('The server was killed without SIGTERM before.');
    }
  },
};

export const leavesNoServer: ClientRule = {
  id: 'client-shutdown/leaves-no-server',
  level: 'SHOULD',
  title: 'not leave a server behind',
  says: 'A client forcibly ends a server that exits neither at the end of its stdin nor, where the system has it, at SIGTERM.',
  source,
  fix: {
    node: "Wait for the exit event; after a few seconds call child.kill('SIGTERM'), and after some more child.kill('SIGKILL').",
    python: 'Use process.terminate(), then process.wait(timeout=…), then process.kill().',
    any: 'Wait for the exit of the server for a few seconds, then send SIGTERM, then SIGKILL, and only then exit.',
  },
  scenarios: [stubborn],
  check: (ruleRun) => {
    const run = ruleRun.run();
    if (run.clientRun.leftBehind.length > 0) violation('The server still ran when the client had exited.');
    if (!run.clientRun.exitStatus) violation(`The server did not exit, and the client did not kill it. ${endOf(run)}`);
  },
};

export const exits: ClientRule = {
  id: 'client-shutdown/exits',
  level: 'ADVICE',
  title: 'exit when the work is done',
  says: 'After the connection was closed, nothing of it keeps the program alive.',
  source: { of: 'standpipe' },
  fix: { any: 'Close the connection, and release its pipes, timers and threads.' },
  scenarios: [plain],
  check: (ruleRun) => {
    if (!ruleRun.plain.clientRun.exitStatus) violation(endOf(ruleRun.plain));
  },
};

export const exitCode: ClientRule = {
  id: 'client-shutdown/exit-code',
  level: 'ADVICE',
  title: 'exit with code 0 after a conversation without errors',
  says: 'The exit code tells scripts and CI systems whether a program has done its work.',
  source: { of: 'standpipe' },
  fix: { any: 'Look at what the client prints: it has seen an error in a conversation without one.' },
  scenarios: [plain],
  check: (ruleRun) => {
    const { exitStatus } = ruleRun.plain.clientRun;
    if (!exitStatus) notApplicable('the client did not exit (client-shutdown/exits)');
    if (ruleRun.servers.some(({ errors }) => errors > 0)) notApplicable('the server refused some of its requests');
    if (exitStatus.exitCode !== 0) violation(endOf(ruleRun.plain));
  },
};

export const crashAtStartEnds: ClientRule = {
  id: 'client-shutdown/server-exits-at-start',
  level: 'ADVICE',
  title: 'report a server that exits before its first answer',
  says: 'A server that has exited answers nothing. The client ends what waits for it and tells its user, or restarts the server.',
  source: { of: 'standpipe' },
  fix: { any: 'Reject all pending requests at the end of stdout of the server, and exit with a code other than 0.' },
  scenarios: [crashAtStart],
  check: (ruleRun) => reportsExit(ruleRun, 'The server exited at the first request'),
};

export const crashAtCallEnds: ClientRule = {
  ...crashAtStartEnds,
  id: 'client-shutdown/server-exits-during-a-call',
  title: 'report a server that exits during a call',
  scenarios: [crashAtCall],
  check: (ruleRun) => {
    if (ruleRun.asked('tools/call').length === 0) notApplicable('the client did not call the tool `echo`');
    reportsExit(ruleRun, 'The server exited during the call');
  },
};

/** A client that restarts the server does what 2026-07-28 recommends, and may go on without an error. */
function reportsExit(ruleRun: ClientRuleRun, what: string): void {
  const run = ruleRun.run();
  const hasRestarted = run.servers.length > ruleRun.plain.servers.length;
  if (hasRestarted && run.clientRun.exitStatus?.exitCode === 0) notApplicable('the client restarted the server');
  endsWithError(run, what);
}

export const shutdownRules = [
  closesStdin,
  sigtermBeforeSigkill,
  leavesNoServer,
  exits,
  exitCode,
  crashAtStartEnds,
  crashAtCallEnds,
];
