// How a server ends. One process shows most of it. It is at rest when its stdin ends: whether it reads requests that arrive together with the end
// depends on how fast it is.

import type { ExitStatus } from '../../../../wire/process/server-process.ts';
import type { StopRung } from '../../../../wire/process/tree/stop-ladder.ts';
import { before } from '../../../rule.ts';
import type { Entry } from '../../../transcript.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { perRevision } from '../../per-revision.ts';
import type { ServerRule } from '../../server-rule.ts';

const exitAtEnd = {
  python: 'End the loop at the end of stdin: `for line in sys.stdin` does. Make other threads daemons.',
  node: "Listen for 'end' of process.stdin, and close what keeps the event loop alive: timers, servers, watchers, connections.",
  java: 'End main when readLine() returns null, and shut executors down: their threads keep the JVM alive.',
  dotnet: 'End Main when ReadLine returns null; make other threads background threads.',
  go: 'Return from main when the scanner or decoder reports io.EOF.',
  rust: 'Return from main when read_line returns 0, and do not wait for spawned tasks.',
  any: 'Exit when a read from stdin returns the end of the file.',
};

const common = {
  level: 'SHOULD',
  source: { of: 'mcp', page: 'basic/lifecycle#shutdown', pages: { '2026-07-28': 'basic/transports/stdio#shutdown' } },
  fix: exitAtEnd,
  runs: 'each era',
  uses: 'own',
} as const satisfies Partial<ServerRule>;

interface Ending {
  exit: ExitStatus | undefined;
  /** What it took to stop the tree. */
  rung: StopRung;
  proof: Entry[];
}

const ending = perRevision(async (ruleRun): Promise<Ending> => {
  const { probe } = await ruleRun.open({}, ruleRun.timeoutMs);
  probe.endInput();
  const exit = await probe.exitStatus();
  const rung = await probe.stop();
  return { exit, rung, proof: probe.transcript.entries };
});

export const endsWithStdin: ServerRule = {
  ...common,
  id: 'lifecycle/ends-with-stdin',
  levels: before('2026-07-28', 'ADVICE'),
  title: 'exit at the end of stdin',
  says: 'A client shuts a server down by closing its stdin, and the server exits promptly. Signals follow only if it does not.',
  check: async (ruleRun) => {
    const { exit, proof } = await ending(ruleRun);
    if (!exit)
      violation(`The server did not exit within ${ruleRun.timeoutMs / 1000} s after the end of stdin.`, ...proof);
  },
};

export const exitCode: ServerRule = {
  ...common,
  id: 'lifecycle/exit-code',
  level: 'ADVICE',
  title: 'exit with code 0 at the end of stdin',
  says: 'The end of stdin is the ordinary way to end. Another code than 0 makes supervisors report a crash.',
  source: { of: 'standpipe' },
  fix: {
    any: 'Exit with code 0 at the end of stdin: it is not an error. Catch the exceptions of readers and writers that it causes.',
  },
  check: async (ruleRun) => {
    const { exit, proof } = await ending(ruleRun);
    if (!exit) notApplicable('the server does not exit (lifecycle/ends-with-stdin)');
    if (exit.signal) violation(`The server was ended by ${exit.signal} at the end of stdin.`, ...proof);
    if (exit.exitCode !== 0) violation(`The server exited with code ${exit.exitCode} at the end of stdin.`, ...proof);
  },
};

export const noProcessLeft: ServerRule = {
  ...common,
  id: 'lifecycle/no-process-left',
  level: 'ADVICE',
  title: 'end child processes before the exit',
  says: 'When the server exits, the processes that it started exit too. A client knows only the one that it started.',
  source: { of: 'standpipe' },
  fix: {
    node: "End child processes in process.on('exit') and before an orderly end; a wrapper should wait for its child.",
    python: 'Terminate child processes in a finally block, or start them with a pipe whose end they notice.',
    any: 'End child processes before the exit. A wrapper script should start the server with exec, or wait for it.',
  },
  check: async (ruleRun) => {
    const { exit, rung, proof } = await ending(ruleRun);
    if (!exit) notApplicable('the server does not exit (lifecycle/ends-with-stdin)');
    if (rung === 'already-exited' || rung === 'stdin') return;
    violation('The server exited and left processes behind.', ...proof);
  },
};

export const endsBeforeInitialize: ServerRule = {
  ...common,
  id: 'lifecycle/ends-before-initialize',
  levels: before('2026-07-28', 'ADVICE'),
  title: 'exit at the end of stdin before the first request',
  says: 'A client that gives up before its first request closes stdin too. The server exits.',
  runs: 'once',
  check: async (ruleRun) => {
    const probe = await ruleRun.start();
    probe.endInput();
    if (await probe.exitStatus(ruleRun.startupTimeoutMs)) return;
    violation('The server did not exit after stdin ended without a request.');
  },
};

export const endsDuringCall: ServerRule = {
  ...common,
  id: 'lifecycle/ends-during-a-call',
  levels: before('2026-07-28', 'ADVICE'),
  title: 'exit at the end of stdin during a call',
  says: 'A client may shut down while a call runs. Its answer is not read any more, so that the server need not wait for it.',
  fix: { ...exitAtEnd, any: 'At the end of stdin, cancel the calls that run, and exit.' },
  runs: 'once',
  check: async (ruleRun) => {
    const { name, arguments: args } = ruleRun.longCall();
    const conversation = await ruleRun.open();
    conversation.ask('tools/call', { name, arguments: args });
    conversation.probe.endInput();
    if (await conversation.probe.exitStatus()) return;
    violation(`The server did not exit within ${ruleRun.timeoutMs / 1000} s after stdin ended while \`${name}\` ran.`);
  },
};

export const endsWithSigterm: ServerRule = {
  ...common,
  id: 'lifecycle/ends-with-sigterm',
  level: 'ADVICE',
  title: 'exit at SIGTERM',
  says: 'A client sends SIGTERM to a server that does not exit at the end of its stdin, and SIGKILL only afterwards.',
  fix: {
    node: "A listener for 'SIGTERM' replaces the default: call process.exit() in it.",
    python: 'signal.signal(SIGTERM, …) replaces the default: raise SystemExit in the handler.',
    any: 'Do not ignore SIGTERM: exit in its handler. As process 1 of a container, install one (docker run --init).',
  },
  runs: 'once',
  check: async (ruleRun) => {
    if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
    const conversation = await ruleRun.open();
    conversation.probe.kill('SIGTERM');
    if (await conversation.probe.exitStatus()) return;
    violation(`The server did not exit within ${ruleRun.timeoutMs / 1000} s after SIGTERM.`);
  },
};
