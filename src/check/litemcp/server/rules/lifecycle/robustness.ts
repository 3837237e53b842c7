// Rules about input that a client should not send, and about clients that do not read.

import type { LiteProbe } from '../../lite-probe.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';

const source = { of: 'standpipe' } as const;

const garbage: readonly (string | Uint8Array)[] = [
  'not JSON\n\n\n',
  '{"version":[1,0,0],"id":\n\n\n',
  '[]\n\n\n',
  'null\n\n\n',
  '"text"\n\n\n',
  '{}\n\n\n',
  Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a, 0x0a]),
];

export const survivesGarbage: LiteServerRule = {
  id: 'litemcp-lifecycle/survives-garbage',
  level: 'ADVICE',
  title: 'survive input that is not a message',
  says: 'One message that cannot be read is refused or ignored. The server reads on.',
  source,
  fix: { any: 'Catch the errors of parsing a message, log them to stderr, and go on with the next message.' },
  uses: 'own',
  check: async (ruleRun) => {
    const probe = await ruleRun.start();
    await probe.info();
    for (const bytes of garbage) {
      probe.write(bytes);
      await probe.barrier('input that is not a message');
    }
  },
};

const DEPTH = 100_000;

export const survivesNesting: LiteServerRule = {
  id: 'litemcp-lifecycle/survives-deep-nesting',
  level: 'ADVICE',
  title: 'survive deeply nested JSON',
  says: 'A message that is too deep for the parser is refused or ignored. The server reads on.',
  source,
  fix: {
    python: 'Catch RecursionError too around json.loads.',
    java: 'Catch StackOverflowError, or limit the depth in the JSON parser.',
    any: 'Limit the depth in the JSON parser, and catch its error.',
  },
  uses: 'own',
  check: async (ruleRun) => {
    const probe = await ruleRun.start();
    const { text } = probe.text('get', {});
    probe.write(text.replace('{}', `{"deep":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`));
    await probe.barrier(`a message with ${DEPTH} levels`);
  },
};

/** More than a pipe and its buffers hold, both as requests and as answers. */
const MANY = 2_000;
const PADDING = ' '.repeat(500);
const FULL_PIPE_MS = 1_000;

/** Returns the ids. */
function writeRequests(probe: LiteProbe, count: number): number[] {
  const requests = Array.from({ length: count }, () => probe.text('get', {}));
  probe.write(requests.map(({ text }) => text.replace('{', `{${PADDING}`)).join(''));
  return requests.map(({ id }) => id);
}

export const slowReader: LiteServerRule = {
  id: 'litemcp-lifecycle/slow-reader',
  level: 'ADVICE',
  title: 'lose no answer when the client reads slowly',
  says: 'A full pipe makes a server wait. It does not drop answers.',
  source,
  fix: {
    node: "Do not drop what process.stdout.write did not accept at once; wait for 'drain'.",
    any: 'Write to stdout with blocking writes, or queue what was not accepted.',
  },
  uses: 'own',
  check: async (ruleRun) => {
    const probe = await ruleRun.start();
    await probe.info();
    probe.pauseReading();
    const ids = writeRequests(probe, MANY);
    // A server that waits for the reader does not read all requests. One that queues or drops answers does, and is then past a full pipe.
    await probe.inputTakenUntilIdle(FULL_PIPE_MS);
    probe.resumeReading();
    for (const id of ids) await probe.answerTo(id, `one of ${MANY} requests whose answers were read late`);
  },
};

const AT_ONCE = 20;

export const unreadStderr: LiteServerRule = {
  id: 'litemcp-lifecycle/unread-stderr',
  level: 'ADVICE',
  title: 'answer while stderr is not read',
  says: 'Some clients do not read stderr. A server that logs each request stops when that pipe is full.',
  source,
  fix: { any: 'Log less by default, or write logs without blocking and drop them when stderr is full.' },
  uses: 'own',
  check: async (ruleRun) => {
    const probe = await ruleRun.start();
    await probe.info();
    probe.process.stderr.pause();
    for (let sent = 0; sent < MANY; sent += AT_ONCE) {
      const ids = writeRequests(probe, AT_ONCE);
      for (const id of ids) await probe.answerTo(id, 'a request while stderr was not read');
    }
  },
};
