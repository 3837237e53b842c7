// Rules about how answers are written: complete, without delay and without other bytes between them.

import { eraOf, type Revision } from '../../../../mcp/revisions.ts';
import { flush } from '../../../../wire/diagnosis/advice.ts';
import { mcp, responses, stdio } from '../../../sources.ts';
import { Violation, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import { needsStringIds } from '../answers.ts';
import { ofLength } from '../long-requests.ts';
import { refuse } from './lines.ts';

/** Sizes below and above those of the output buffers of libraries. */
const SIZES = [10, 2_000, 5_000, 10_000, 40_000, 70_000];
const LARGE_ID = 1024 * 1024;

/** Messages that the server may send before `initialized`. A log message may explain a slow start. */
const ALLOWED_BEFORE = new Set(['ping', 'notifications/message']);

export const outputRules = serverRows({ runs: 'each era', uses: 'seen' }, [
  {
    id: 'wire/silent-at-first',
    level: 'SHOULD',
    title: 'not send messages before its first answer',
    says: 'The client opens the connection. Before that, a server sends only `ping` and log messages; since 2026-07-28 it sends nothing.',
    source: mcp('basic/lifecycle#initialization', { '2026-07-28': 'basic/transports/stdio#receiving-messages' }),
    fix: 'Send notifications and requests only after the client has opened the connection.',
    check: ({ seen, revision }) => {
      for (const { frames } of seen.slice(0, 1)) {
        const answer = frames.findIndex((frame) => messagesOf(frame).some(isAnswer));
        const early = frames.slice(0, Math.max(answer, 0)).find((frame) => isEarly(frame, revision));
        if (early) violation('The server sent a message before its first answer.', early);
      }
    },
  },
  {
    id: 'wire/answers-at-once',
    level: 'MUST',
    title: 'flush each answer immediately',
    says: 'A server answers each request. A client that waits for the answer sends nothing more, so an answer that stays in a buffer never arrives.',
    source: responses,
    fix: flush,
    runs: 'once',
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      await needsStringIds(conversation);
      for (const size of SIZES) await ofLength(ruleRun, size, () => answeredAtOnce(conversation, size));
    },
  },
  {
    id: 'wire/messages-are-not-mixed-up',
    level: 'MUST',
    title: 'not mix the bytes of messages',
    says: 'Messages are separated by newlines: the bytes of a message are contiguous.',
    source: stdio,
    fix: {
      python: 'Hold a threading.Lock while you write a message with its newline and flush.',
      java: 'Write a message with its newline in one synchronized method.',
      go: 'Hold a sync.Mutex while you write a message.',
      rust: 'Hold std::io::stdout().lock() while you write a message.',
      dotnet: 'Hold a SemaphoreSlim while you write a message.',
      any: 'Write each message with its newline under one lock.',
    },
    check: refuse('mixed up', 'The server wrote parts of several messages on one line'),
  },
  {
    id: 'wire/large-message-out',
    level: 'ADVICE',
    title: 'write answers that are larger than a pipe completely',
    says: 'A response has the id of its request. A response with an id of 1 MiB exceeds the capacity of a pipe and takes several writes.',
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
  },
]);

async function answeredAtOnce(conversation: Conversation, size: number): Promise<void> {
  const { probe } = conversation;
  const id = `${size}`.padEnd(size, '.');
  probe.send(conversation.ping(id));
  if (await probe.maybe(() => probe.answersTo(id)[0])) return;
  const what = `The answer of about ${size} bytes`;
  const lost = (how: string): never => {
    throw new Violation(
      `${what} did not arrive${how}`,
      undefined,
      'Answer each request, including one with a long id.',
    );
  };
  if (probe.ended) lost(`: ${await probe.howItEnded()}.`);
  probe.endInput();
  await probe.maybe(() => probe.answersTo(id)[0]);
  if (probe.answersTo(id).length > 0) violation(`${what} arrived only after stdin was closed.`);
  lost(', not even after stdin was closed.');
}

function isEarly(frame: Frame, revision: Revision): boolean {
  const isAllowed = ({ method }: { method?: unknown }) =>
    eraOf(revision) === 'legacy' && typeof method === 'string' && ALLOWED_BEFORE.has(method);
  return messagesOf(frame).some((message) => message.method !== undefined && !isAllowed(message));
}
