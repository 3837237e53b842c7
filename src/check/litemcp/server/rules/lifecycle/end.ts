// Rules about the end of a server. The specification has no sentence about it; hosts stop servers this way.

import { notApplicable, violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';
import { callData } from '../../permitted-call.ts';

const source = { of: 'standpipe', page: 'check.md' } as const;

export const endOfInput: LiteServerRule = {
  id: 'litemcp-lifecycle/end-of-stdin',
  level: 'SHOULD',
  title: 'the process exits at the end of stdin',
  says: 'A client that has exited closes stdin. A server that goes on then runs without a client.',
  source,
  fix: {
    node: 'Close timers, servers and sockets at the "end" of process.stdin, or call process.exit().',
    java: 'End the threads that are not daemons when System.in ends, or call System.exit(0).',
    any: 'Leave the loop that reads stdin at its end, and end the process.',
  },
  uses: 'own',
  check: async (trial) => {
    const probe = await trial.start();
    await probe.info();
    probe.endInput();
    if (!(await probe.exitStatus()))
      violation(`The process did not exit within ${probe.timeoutMs / 1000} s of the end of stdin.`);
  },
};

export const answersInFlight: LiteServerRule = {
  id: 'litemcp-lifecycle/answers-before-the-end',
  level: 'SHOULD',
  title: 'requests before the end of stdin are answered',
  says: 'A client may send its last requests, close stdin and read the answers, as a shell does with a pipe.',
  source,
  fix: { any: 'At the end of stdin finish the requests that were read, flush stdout, and then exit.' },
  uses: 'own',
  check: async (trial) => {
    const probe = await trial.start();
    const requests = Array.from({ length: 3 }, () => probe.text('get', {}));
    probe.write(requests.map(({ text }) => text).join(''));
    probe.endInput();
    for (const { id } of requests) await probe.answerTo(id, 'a request that was sent before the end of stdin');
  },
};

export const callInFlight: LiteServerRule = {
  id: 'litemcp-lifecycle/call-before-the-end',
  level: 'SHOULD',
  title: 'a call before the end of stdin is answered',
  says: 'The result of a call that was sent before the end of stdin is still delivered.',
  source,
  fix: { any: 'At the end of stdin wait for the calls that run, flush stdout, and then exit.' },
  uses: 'own',
  check: async (trial) => {
    const call = trial.call();
    const probe = await trial.start();
    const id = probe.send('call', callData(call.tool, call.arguments));
    probe.endInput();
    await probe.answerTo(id, 'a call that was sent before the end of stdin');
  },
};

export const sigterm: LiteServerRule = {
  id: 'litemcp-lifecycle/sigterm',
  level: 'SHOULD',
  title: 'SIGTERM ends the process',
  says: 'A host that stops a server sends SIGTERM if the end of stdin was not enough.',
  source,
  fix: {
    python: 'Do not ignore SIGTERM; a handler ends with sys.exit().',
    node: "Call process.exit() in a listener of 'SIGTERM', or have none.",
    any: 'Leave the default action of SIGTERM, or exit in its handler.',
  },
  uses: 'own',
  check: async (trial) => {
    if (process.platform === 'win32') notApplicable('Windows has no SIGTERM');
    const probe = await trial.start();
    await probe.info();
    probe.kill('SIGTERM');
    if (!(await probe.exitStatus()))
      violation(`The process did not exit within ${probe.timeoutMs / 1000} s of SIGTERM.`);
  },
};

export const nothingLeft: LiteServerRule = {
  id: 'litemcp-lifecycle/no-process-left',
  level: 'SHOULD',
  title: 'no process is left after the exit',
  says: 'A server that exits has ended the processes that it started.',
  source,
  fix: {
    any: 'End child processes before the exit, and start wrappers with exec so that they are replaced by the server.',
  },
  uses: 'own',
  check: async (trial) => {
    const probe = await trial.start();
    await probe.info();
    probe.endInput();
    if (!(await probe.exitStatus())) notApplicable('the process does not exit (litemcp-lifecycle/end-of-stdin)');
    const rung = await probe.stop();
    if (rung !== 'already-exited' && rung !== 'stdin')
      violation('A process that the server started was still running after its exit.');
  },
};
