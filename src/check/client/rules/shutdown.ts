// Rules about how a client ends its server, and about servers that end unexpectedly. The rules for LiteMCP clients have the same fixes.

import { before } from '../../rule.ts';
import { shutdown } from '../../sources.ts';
import { notApplicable, violation } from '../../verdict.ts';
import { type ClientRuleRun, clientRows, endOf, endsWithError, requireStdinClosed } from '../client-rule-run.ts';
import { crashAtCall, crashAtStart, plain, stubborn } from '../scenarios.ts';

export const CLOSE_STDIN = {
  node: 'Call child.stdin.end() and wait for the exit event before child.kill().',
  python: 'Close process.stdin and wait for the process before process.terminate().',
  any: 'Close the pipe to stdin of the server, and wait a few seconds for its exit before you send a signal.',
};
export const KILL = {
  node: "Wait for the exit event; after a few seconds call child.kill('SIGTERM'), and a few seconds later child.kill('SIGKILL').",
  python: 'Use process.wait(timeout=…), then process.terminate(), process.wait(timeout=…) and process.kill().',
  any: 'Wait a few seconds for the exit of the server, then send SIGTERM, then SIGKILL, and only then exit.',
};
export const READ_STDERR = {
  node: "Use stdio: ['pipe', 'pipe', 'inherit'], or read child.stderr.",
  python: 'Leave stderr=None, or read it in a separate task. With stderr=PIPE it must be read.',
  java: 'Use ProcessBuilder.Redirect.INHERIT, or read the error stream in a separate thread.',
  any: 'Let the server inherit stderr, or read it continuously.',
};
export const RELEASE = 'Close the connection, and release its pipes, timers and threads.';
export const READ_OUTPUT =
  'Read the output of the client: it reports an error although the server answered without errors.';
export const LEFT_BEHIND = 'The server was still running after the client had exited.';

const noCall = 'the client did not call the tool `echo`';
const REJECT = 'Reject all pending requests at the end of stdout of the server, and exit with a code other than 0.';
const REPORT =
  'A server that has exited cannot answer. The client ends pending requests and reports the exit to its user, or restarts the server.';

export const shutdownRules = clientRows({ level: 'ADVICE', scenarios: [plain] }, [
  {
    id: 'client-shutdown/closes-stdin',
    level: 'SHOULD',
    title: 'end the server by closing its stdin',
    says: 'A client closes stdin of the server and waits for its exit. It sends signals only if the server does not exit.',
    source: shutdown,
    fix: CLOSE_STDIN,
    check: ({ servers }) => requireStdinClosed(servers),
  },
  {
    id: 'client-shutdown/sigterm-before-sigkill',
    levels: before('2026-07-28', 'SHOULD'),
    title: 'send SIGTERM before SIGKILL',
    says: 'If a server does not exit within a reasonable time after its stdin was closed, the client sends SIGTERM, and SIGKILL only after that.',
    source: shutdown,
    fix: 'Send SIGTERM first. Wait a few seconds for the exit before SIGKILL.',
    scenarios: [stubborn],
    check: ({ servers }) => {
      if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
      for (const { server } of servers) {
        if (server.wasKilled && !server.has('SIGTERM')) violation('The server was killed without an earlier SIGTERM.');
      }
    },
  },
  {
    id: 'client-shutdown/leaves-no-server',
    level: 'SHOULD',
    title: 'not leave a server running',
    says: 'A client kills a server that exits neither at the end of its stdin nor, where the system has it, at SIGTERM.',
    source: shutdown,
    fix: KILL,
    scenarios: [stubborn],
    check: (ruleRun) => {
      const run = ruleRun.run();
      if (run.clientRun.leftBehind.length > 0) violation(LEFT_BEHIND);
      if (!run.clientRun.exitStatus)
        violation(`The server did not exit, and the client did not kill it. ${endOf(run)}`);
    },
  },
  {
    id: 'client-shutdown/exits',
    title: 'exit when the work is done',
    says: 'A closed connection does not keep the program running.',
    fix: RELEASE,
    check: (ruleRun) => {
      if (!ruleRun.plain.clientRun.exitStatus) violation(endOf(ruleRun.plain));
    },
  },
  {
    id: 'client-shutdown/exit-code',
    title: 'exit with code 0 after a conversation without errors',
    says: 'The exit code tells scripts and CI systems whether a program has succeeded.',
    fix: READ_OUTPUT,
    check: (ruleRun) => {
      const { exitStatus } = ruleRun.plain.clientRun;
      if (!exitStatus) notApplicable('the client did not exit (client-shutdown/exits)');
      if (ruleRun.servers.some(({ errors }) => errors > 0)) notApplicable('the server refused some of its requests');
      if (exitStatus.exitCode !== 0) violation(endOf(ruleRun.plain));
    },
  },
  {
    id: 'client-shutdown/server-exits-at-start',
    title: 'report a server that exits before its first answer',
    says: REPORT,
    fix: REJECT,
    scenarios: [crashAtStart],
    check: (ruleRun) => reportsExit(ruleRun, 'The server exited at the first request'),
  },
  {
    id: 'client-shutdown/server-exits-during-a-call',
    title: 'report a server that exits during a call',
    says: REPORT,
    fix: REJECT,
    scenarios: [crashAtCall],
    check: (ruleRun) => {
      if (ruleRun.asked('tools/call').length === 0) notApplicable(noCall);
      reportsExit(ruleRun, 'The server exited during the call');
    },
  },
]);

/** 2026-07-28 recommends restarting the server: such a client may succeed without an error. */
function reportsExit(ruleRun: ClientRuleRun, what: string): void {
  const run = ruleRun.run();
  const hasRestarted = run.servers.length > ruleRun.plain.servers.length;
  if (hasRestarted && run.clientRun.exitStatus?.exitCode === 0) notApplicable('the client restarted the server');
  endsWithError(run, what);
}
