// Rules about how answers are written: whole, at once, and to the end.

import { eraOf, type Revision } from '../../../../mcp/revisions.ts';
import { endLine, flush } from '../../../../wire/diagnosis/advice.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { isEchoed } from '../answers.ts';
import { ofLength } from '../long-requests.ts';
import { refuse } from './lines.ts';
import { expected, responses, stdio } from './sources.ts';

const FOUR_MIB = 4 * 1024 * 1024;

/** The first sizes are limits that are often met: of a pipe, of a line in Python's asyncio, of a token in Go's Scanner. */
const SIZES_IN = [100_000, 1_000_000, FOUR_MIB];

export const largeMessageIn: ServerRule = {
  id: 'wire/large-message-in',
  level: 'ADVICE',
  title: 'accept requests of 4 MiB',
  says: 'No limit is set for the size of a message. A server answers a large one, if only with an error.',
  source: expected,
  fix: {
    python: 'Give asyncio.StreamReader a larger limit: its default is 64 KiB a line.',
    go: 'Read with bufio.Reader, or give bufio.Scanner a larger Buffer: its default is 64 KiB a line.',
    any: 'Let the buffer for a line of stdin grow to some MiB.',
  },
  runs: 'once',
  uses: 'shared',
  isHeavy: true,
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    for (const size of SIZES_IN) {
      const ping = conversation.ping(undefined, { _meta: { padding: 'x'.repeat(size) } });
      conversation.probe.send(ping);
      await conversation.probe.inputTaken();
      await conversation.probe.answerTo(ping.id, `a request of ${size} bytes`);
    }
  },
};

const LARGE_ID = 1024 * 1024;

export const largeMessageOut: ServerRule = {
  id: 'wire/large-message-out',
  level: 'ADVICE',
  title: 'write answers that are larger than a pipe as a whole',
  says: 'An answer has the id of its request. With an id of 1 MiB it does not fit into a pipe, and comes in parts that fit together.',
  source: expected,
  fix: {
    node: 'Let process.stdout drain before process.exit, and do not write with fs.writeSync.',
    any: 'Write in a loop until all bytes of the message are written.',
  },
  runs: 'once',
  uses: 'shared',
  isHeavy: true,
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    await needsStringIds(conversation);
    const id = 'i'.repeat(LARGE_ID);
    await ofLength(ruleRun, LARGE_ID, async () => {
      conversation.probe.send(conversation.ping(id));
      await conversation.barrier('a request with an id of 1 MiB');
      await conversation.probe.answerTo(id, 'a request with an id of 1 MiB');
    });
  },
};

async function needsStringIds(conversation: Conversation): Promise<void> {
  if (!(await isEchoed(conversation, 'plain'))) notApplicable('the server does not give back ids that are strings');
}

/** Below and above the buffers that libraries have for output. */
const SIZES_OUT = [10, 2_000, 5_000, 10_000, 40_000, 70_000];

export const flushed: ServerRule = {
  id: 'wire/answers-at-once',
  level: 'MUST',
  title: 'flush each answer at once',
  says: 'A server answers each request. The client waits for the answer and sends nothing before it: an answer in a buffer never arrives.',
  source: responses,
  fix: flush,
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    await needsStringIds(conversation);
    for (const size of SIZES_OUT) {
      await ofLength(ruleRun, size, () => answeredAtOnce(conversation, size));
    }
  },
};

async function answeredAtOnce(conversation: Conversation, size: number): Promise<void> {
  const { probe } = conversation;
  const id = `${size}`.padEnd(size, '.');
  probe.send(conversation.ping(id));
  if (await probe.maybe(() => probe.answersTo(id)[0])) return;
  const what = `The answer of about ${size} bytes`;
  const lost = (how: string): never => {
    throw new Violation(`${what} did not arrive${how}`, undefined, 'Answer each request, also one with a long id.');
  };
  if (probe.ended) lost(`: ${await probe.howItEnded()}.`);
  probe.endInput();
  await probe.maybe(() => probe.answersTo(id)[0]);
  if (probe.answersTo(id).length > 0) violation(`${what} arrived only when stdin was closed.`);
  lost(', not even when stdin was closed.');
}

export const wholeLines: ServerRule = {
  id: 'wire/messages-are-not-mixed-up',
  level: 'MUST',
  title: 'not mix the bytes of messages',
  says: 'Messages are separated by newlines: the bytes of one message are not interrupted by those of another.',
  source: stdio,
  fix: {
    python: 'Hold a threading.Lock around the write of a message and its newline, and the flush.',
    java: 'Write a message with its newline in one synchronized method.',
    go: 'Hold a sync.Mutex around the write of a message.',
    rust: 'Hold std::io::stdout().lock() for the write of a whole message.',
    dotnet: 'Hold a SemaphoreSlim around the write of a message.',
    any: 'Write each message with its newline under one lock.',
  },
  runs: 'each era',
  uses: 'seen',
  check: (ruleRun) => refuse(ruleRun, 'mixed up', 'The server wrote parts of several messages on one line'),
};

export const lastNewline: ServerRule = {
  id: 'wire/last-line-ends',
  level: 'ADVICE',
  title: 'end the last message with a newline',
  says: 'Messages are separated by newlines. A client that reads lines does not see one that no newline ends.',
  source: stdio,
  fix: endLine,
  runs: 'once',
  uses: 'own',
  check: async (ruleRun) => {
    const conversation = await ruleRun.open();
    const { probe } = conversation;
    await conversation.barrier();
    probe.endInput();
    await probe.maybe(() => undefined); // until the end of stdout
    if (!probe.ended) await probe.stop();
    const last = probe.frames.at(-1);
    if (last?.fault === 'no newline') violation('The server ended its output without a newline.', last);
  },
};

/** Before `initialized` only these are allowed, and log messages to explain a start that takes long are useful. */
const ALLOWED_BEFORE = new Set(['ping', 'notifications/message']);

export const silentAtFirst: ServerRule = {
  id: 'wire/silent-at-first',
  level: 'SHOULD',
  title: 'send nothing before its first answer',
  says: 'The client opens the connection. Before that a server sends nothing but `ping` and log messages; since 2026-07-28 nothing at all.',
  source: {
    of: 'mcp',
    page: 'basic/lifecycle#initialization',
    pages: { '2026-07-28': 'basic/transports/stdio#receiving-messages' },
  },
  fix: { any: 'Send notifications and requests only after the client has opened the connection.' },
  runs: 'each era',
  uses: 'seen',
  check: ({ seen, revision }) => {
    for (const { frames } of seen.slice(0, 1)) {
      const answer = frames.findIndex((frame) => messagesOf(frame).some(isAnswer));
      const early = frames.slice(0, Math.max(answer, 0)).find((frame) => isEarly(frame, revision));
      if (early) violation('The server sent a message before its first answer.', early);
    }
  },
};

function isEarly(frame: Frame, revision: Revision): boolean {
  const isAllowed = ({ method }: { method?: unknown }) =>
    eraOf(revision) === 'legacy' && typeof method === 'string' && ALLOWED_BEFORE.has(method);
  return messagesOf(frame).some((message) => message.method !== undefined && !isAllowed(message));
}
