// Rules about the end of a server. One process shows most of it. It is idle when its stdin ends: whether it reads requests that arrive together
// with the end depends on its speed.

import { before } from '../../../rule.ts';
import { perRevision } from '../../../rule-run.ts';
import { shutdown } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { beginLongCall } from '../long-call.ts';

const exitAtEnd = {
  python: 'End the read loop at the end of stdin, as `for line in sys.stdin` does. Make other threads daemons.',
  node: "Listen for 'end' of process.stdin, and close what keeps the event loop alive: timers, servers, watchers, connections.",
  java: 'Return from main when readLine() returns null, and shut executors down: their threads keep the JVM alive.',
  dotnet: 'Return from Main when ReadLine returns null; make other threads background threads.',
  go: 'Return from main when the scanner or decoder reports io.EOF.',
  rust: 'Return from main when read_line returns 0, and do not wait for spawned tasks.',
  any: 'Exit when a read from stdin returns the end of the file.',
};

const ending = perRevision(async (ruleRun: ServerRuleRun) => {
  const { probe } = await ruleRun.open({}, ruleRun.timeoutMs);
  probe.endInput();
  const exit = await probe.exitStatus();
  /** The step that stopped the process tree. */
  const rung = await probe.stop();
  return { exit, rung, proof: probe.transcript.entries };
});

const DOES_NOT_EXIT = 'the server does not exit (lifecycle/ends-with-stdin)';

export const endingRules = serverRows({ level: 'ADVICE', runs: 'once', uses: 'own' }, [
  {
    id: 'lifecycle/ends-with-stdin',
    level: 'SHOULD',
    levels: before('2026-07-28', 'ADVICE'),
    title: 'exit at the end of stdin',
    says: 'A client shuts a server down by closing its stdin, and the server exits promptly. Signals follow only if it does not exit.',
    source: shutdown,
    fix: exitAtEnd,
    runs: 'each era',
    check: async (ruleRun) => {
      const { exit, proof } = await ending(ruleRun);
      if (!exit)
        violation(`The server did not exit within ${ruleRun.timeoutMs / 1000} s after the end of stdin.`, ...proof);
    },
  },
  {
    id: 'lifecycle/exit-code',
    title: 'exit with code 0 at the end of stdin',
    says: 'A server normally exits because its stdin has ended. Supervisors report an exit code other than 0 as a crash.',
    fix: 'Exit with code 0 at the end of stdin: it is not an error. Catch the exceptions that it causes in readers and writers.',
    runs: 'each era',
    check: async (ruleRun) => {
      const { exit, proof } = await ending(ruleRun);
      if (!exit) notApplicable(DOES_NOT_EXIT);
      if (exit.signal) violation(`The server was ended by ${exit.signal} at the end of stdin.`, ...proof);
      if (exit.exitCode !== 0) violation(`The server exited with code ${exit.exitCode} at the end of stdin.`, ...proof);
    },
  },
  {
    id: 'lifecycle/no-process-left',
    title: 'end child processes before the exit',
    says: 'The child processes of a server exit with it. A client knows only the process that it started.',
    fix: {
      node: "End child processes in process.on('exit') and before a normal exit; a wrapper should wait for its child.",
      python: 'Terminate child processes in a finally block, or start them with a pipe whose end they detect.',
      any: 'End child processes before the exit. A wrapper script should start the server with exec, or wait for it.',
    },
    runs: 'each era',
    check: async (ruleRun) => {
      const { exit, rung, proof } = await ending(ruleRun);
      if (!exit) notApplicable(DOES_NOT_EXIT);
      if (rung === 'already-exited' || rung === 'stdin') return;
      violation('The server exited, and processes that it had started were still running.', ...proof);
    },
  },
  {
    id: 'lifecycle/ends-before-initialize',
    level: 'SHOULD',
    levels: before('2026-07-28', 'ADVICE'),
    title: 'exit at the end of stdin before the first request',
    says: 'A client that stops before its first request also closes stdin. The server exits.',
    source: shutdown,
    fix: exitAtEnd,
    check: async (ruleRun) => {
      const probe = await ruleRun.start();
      probe.endInput();
      if (await probe.exitStatus(ruleRun.startupTimeoutMs)) return;
      violation('The server did not exit after stdin ended without a request.');
    },
  },
  {
    id: 'lifecycle/ends-during-a-call',
    level: 'SHOULD',
    levels: before('2026-07-28', 'ADVICE'),
    title: 'exit at the end of stdin during a call',
    says: 'A client may shut the server down during a call. It does not read the answer any more, so the server need not finish the call.',
    source: shutdown,
    fix: { ...exitAtEnd, any: 'At the end of stdin, cancel running calls and exit.' },
    check: async (ruleRun) => {
      const { conversation, name } = await beginLongCall(ruleRun);
      conversation.probe.endInput();
      if (await conversation.probe.exitStatus()) return;
      const limit = `${ruleRun.timeoutMs / 1000} s`;
      violation(`The server did not exit within ${limit} after stdin ended while \`${name}\` was running.`);
    },
  },
  {
    id: 'lifecycle/ends-with-sigterm',
    title: 'exit at SIGTERM',
    says: 'A client sends SIGTERM to a server that does not exit at the end of its stdin, and SIGKILL only after that.',
    source: shutdown,
    fix: {
      node: "A listener for 'SIGTERM' replaces the default action: call process.exit() in it.",
      python: 'signal.signal(SIGTERM, …) replaces the default action: raise SystemExit in the handler.',
      any: 'Do not ignore SIGTERM: exit in its handler. As process 1 of a container, install a handler (docker run --init).',
    },
    check: async (ruleRun) => {
      if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
      const conversation = await ruleRun.open();
      conversation.probe.kill('SIGTERM');
      if (await conversation.probe.exitStatus()) return;
      violation(`The server did not exit within ${ruleRun.timeoutMs / 1000} s after SIGTERM.`);
    },
  },
]);
