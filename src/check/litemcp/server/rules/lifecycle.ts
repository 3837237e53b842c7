// Rules about the end of a server, invalid input and clients that do not read. The specification does not define them; hosts stop servers this
// way. The process is idle when its stdin ends: whether it reads requests that arrive together with the end depends on its speed.

import { perRevision } from '../../../rule-run.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { LiteProbe } from '../lite-probe.ts';
import { type LiteRuleRun, liteServerRows } from '../lite-rule-run.ts';

const ending = perRevision(async (ruleRun: LiteRuleRun) => {
  const probe = await ruleRun.start(ruleRun.timeoutMs);
  await probe.info();
  await probe.barrier('"get"');
  probe.endInput();
  const exit = await probe.exitStatus();
  /** The step that stopped the process tree. */
  const rung = await probe.stop();
  return { exit, rung, proof: probe.transcript.entries };
});

const DOES_NOT_EXIT = 'the process does not exit (litemcp-lifecycle/end-of-stdin)';

const garbage: readonly (string | Uint8Array)[] = [
  'not JSON\n\n\n',
  '{"version":[1,0,0],"id":\n\n\n',
  '[]\n\n\n',
  'null\n\n\n',
  '"text"\n\n\n',
  '{}\n\n\n',
  Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a, 0x0a]),
];

const DEPTH = 100_000;
/** Number of requests: more than a pipe and its buffers hold, both as requests and as answers. */
const MANY = 2_000;
const PADDING = ' '.repeat(500);
const FULL_PIPE_MS = 1_000;
const AT_ONCE = 20;

export const lifecycleRules = liteServerRows({ level: 'ADVICE', uses: 'own' }, [
  {
    id: 'litemcp-lifecycle/end-of-stdin',
    title: 'exit at the end of stdin',
    says: 'A client that exits closes stdin. A server that keeps running has no client.',
    fix: {
      node: 'Close timers, servers and sockets at the "end" of process.stdin, or call process.exit().',
      java: 'End the non-daemon threads when System.in ends, or call System.exit(0).',
      any: 'Leave the loop that reads stdin at its end, and end the process.',
    },
    check: async (ruleRun) => {
      const { exit, proof } = await ending(ruleRun);
      if (exit) return;
      violation(`The process did not exit within ${ruleRun.timeoutMs / 1000} s after the end of stdin.`, ...proof);
    },
  },
  {
    id: 'litemcp-lifecycle/exit-code',
    title: 'exit with code 0 at the end of stdin',
    says: 'A server normally exits because its stdin has ended. Supervisors report an exit code other than 0 as a crash.',
    fix: 'Exit with code 0 at the end of stdin: it is not an error.',
    check: async (ruleRun) => {
      const { exit, proof } = await ending(ruleRun);
      if (!exit) notApplicable(DOES_NOT_EXIT);
      const end = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.exitCode}`;
      if (exit.exitCode !== 0) violation(`The server ${end} at the end of stdin.`, ...proof);
    },
  },
  {
    id: 'litemcp-lifecycle/no-process-left',
    title: 'end child processes before the exit',
    says: 'A server ends its child processes before it exits.',
    fix: 'End child processes before the exit, and start the server from wrappers with exec.',
    check: async (ruleRun) => {
      const { exit, rung, proof } = await ending(ruleRun);
      if (!exit) notApplicable(DOES_NOT_EXIT);
      if (rung === 'already-exited' || rung === 'stdin') return;
      violation('The server exited, and processes that it had started were still running.', ...proof);
    },
  },
  {
    id: 'litemcp-lifecycle/sigterm',
    title: 'exit at SIGTERM',
    says: 'A host that stops a server sends SIGTERM if the server does not exit at the end of stdin.',
    fix: {
      python: 'Do not ignore SIGTERM; call sys.exit() in a handler.',
      node: "Call process.exit() in a listener of 'SIGTERM', or remove the listener.",
      any: 'Leave the default action of SIGTERM, or exit in its handler.',
    },
    check: async (ruleRun) => {
      if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
      const probe = await ruleRun.start();
      await probe.info();
      probe.kill('SIGTERM');
      if (!(await probe.exitStatus()))
        violation(`The process did not exit within ${ruleRun.timeoutMs / 1000} s after SIGTERM.`);
    },
  },
  {
    id: 'litemcp-lifecycle/survives-garbage',
    title: 'keep running after input that is not a message',
    says: 'The server refuses or ignores an unreadable message, and continues reading.',
    fix: 'Catch the errors of parsing a message, log them to stderr, and continue with the next message.',
    check: async (ruleRun) => {
      const probe = await ruleRun.start();
      await probe.info();
      for (const bytes of garbage) {
        probe.write(bytes);
        await probe.barrier('input that is not a message');
      }
    },
  },
  {
    id: 'litemcp-lifecycle/survives-deep-nesting',
    title: 'keep running after deeply nested JSON',
    says: 'The server refuses or ignores a message that is too deep for its parser, and continues reading.',
    fix: {
      python: 'Also catch RecursionError of json.loads.',
      java: 'Catch StackOverflowError, or limit the depth in the JSON parser.',
      any: 'Limit the depth in the JSON parser, and catch its error.',
    },
    check: async (ruleRun) => {
      const probe = await ruleRun.start();
      const { text } = probe.text('get', {});
      probe.write(text.replace('{}', `{"deep":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`));
      await probe.barrier(`a message with ${DEPTH} levels`);
    },
  },
  {
    id: 'litemcp-lifecycle/slow-reader',
    title: 'not lose answers when the client reads slowly',
    says: 'A server waits while the pipe is full. It does not drop answers.',
    fix: {
      node: "Keep the data that process.stdout.write does not accept; wait for 'drain'.",
      any: 'Write to stdout with blocking writes, or queue the data that was not accepted.',
    },
    check: async (ruleRun) => {
      const probe = await ruleRun.start();
      await probe.info();
      probe.pauseReading();
      const ids = writeRequests(probe, MANY);
      // A server that waits for the reader does not read all requests. One that queues or drops answers reads all, and its pipe is full.
      await probe.inputTakenUntilIdle(FULL_PIPE_MS);
      probe.resumeReading();
      for (const id of ids) await probe.answerTo(id, `one of ${MANY} requests whose answers were read late`);
    },
  },
  {
    id: 'litemcp-lifecycle/unread-stderr',
    title: 'answer while stderr is not read',
    says: 'Some clients do not read stderr. A server that logs each request blocks when that pipe is full.',
    fix: 'Log less by default, or write logs without blocking and drop them while stderr is full.',
    check: async (ruleRun) => {
      const probe = await ruleRun.start();
      await probe.info();
      probe.process.stderr.pause();
      for (let sent = 0; sent < MANY; sent += AT_ONCE) {
        const ids = writeRequests(probe, AT_ONCE);
        for (const id of ids) await probe.answerTo(id, 'a request while stderr was not read');
      }
    },
  },
]);

/** Returns the ids. */
function writeRequests(probe: LiteProbe, count: number): number[] {
  const requests = Array.from({ length: count }, () => probe.text('get', {}));
  probe.write(requests.map(({ text }) => text.replace('{', `{${PADDING}`)).join(''));
  return requests.map(({ id }) => id);
}
