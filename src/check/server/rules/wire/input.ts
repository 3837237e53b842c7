// Rules about the forms in which messages arrive on stdin: long, in pieces, with other whitespace, and while stderr is not read.

import { isUtf8 } from 'node:buffer';
import { responses, stdio } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import { allAnswered, burstOf, echo, idsOf, isEchoed, understood } from '../answers.ts';

/** Sizes just above common limits: of a pipe, of a line in Python's asyncio, of a token in Go's Scanner. */
const SIZES = [100_000, 1_000_000, 4 * 1024 * 1024];

/** A server that logs each request completely writes more than a pipe holds. */
const REQUESTS = 400;
const PADDING = 'x'.repeat(2_000);

const readLines = {
  python: 'Read with sys.stdin.readline() and pass the line to json.loads.',
  node: 'Collect the bytes of stdin, split them at 0x0A, and pass each part to JSON.parse.',
  java: 'Read with BufferedReader.readLine() and pass the line to the mapper.',
  go: "Read with bufio.Reader.ReadBytes('\\n') or json.NewDecoder(os.Stdin).",
  any: 'Read stdin up to each newline and pass the text before it to a JSON parser.',
};

export const inputRules = serverRows({ runs: 'once', uses: 'shared' }, [
  {
    id: 'wire/large-message-in',
    level: 'ADVICE',
    title: 'accept requests of 4 MiB',
    says: 'MCP does not limit the size of a message. A server answers a large request, if only with an error.',
    fix: {
      python: 'Give asyncio.StreamReader a larger limit: its default is 64 KiB per line.',
      go: 'Read with bufio.Reader, or give bufio.Scanner a larger Buffer: its default is 64 KiB per line.',
      any: 'Let the buffer for a line of stdin grow to at least 4 MiB.',
    },
    isHeavy: true,
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      for (const size of SIZES) {
        const ping = conversation.ping(undefined, { _meta: { padding: 'x'.repeat(size) } });
        conversation.probe.send(ping);
        await conversation.probe.inputTaken();
        await conversation.probe.answerTo(ping.id, `a request of ${size} bytes`);
      }
    },
  },
  {
    id: 'wire/split-writes',
    level: 'MUST',
    title: 'split its input at newlines',
    says: 'Messages are separated by newlines, not by reads: one read may return several messages, or a part of a message that ends inside a character.',
    source: stdio,
    fix: {
      ...readLines,
      node: 'Collect the bytes of stdin, split them at 0x0A, and only then decode each part. Do not use node:readline: it also splits at U+2028.',
    },
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      if (!(await isEchoed(conversation, 'é 漢 😀'))) {
        notApplicable('the server does not return ids with non-ASCII letters');
      }
      await inParts(conversation, 'after its first byte', 'one', () => 1);
      await inParts(conversation, 'before its newline', 'two', (line) => line.length - 1);
      for (const char of ['é', '漢', '😀']) {
        for (let byte = 1; byte < Buffer.byteLength(char); byte++) {
          await inParts(conversation, `inside ${char}`, `${byte} ${char}`, (line) => line.indexOf(char) + byte);
        }
      }
    },
  },
  {
    id: 'wire/json-in-any-form',
    level: 'MUST',
    title: 'read every form of JSON',
    says: 'A message is JSON: the order of its members, whitespace between them and escaped characters do not change its meaning.',
    source: responses,
    fix: readLines,
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const spaced = conversation.ping();
      const text = `\t ${JSON.stringify(spaced, undefined, ' ').replaceAll('\n', '').replaceAll('":', '" :')} `;
      await understood(conversation, `${text}\n`, spaced.id, 'a request with whitespace between its members');
      const turned = Object.fromEntries(Object.entries(conversation.ping()).reverse());
      await understood(conversation, `${JSON.stringify(turned)}\n`, turned.id, 'a request that ends with "jsonrpc"');
      const escaped = conversation.ping();
      const line = JSON.stringify(escaped).replace('"method"', '"\\u006dethod"').replace('/', '\\/');
      await understood(conversation, `${line}\n`, escaped.id, 'a request with escaped characters');
    },
  },
  {
    id: 'wire/crlf-is-taken',
    level: 'ADVICE',
    title: 'accept a carriage return before the newline',
    says: 'Messages are separated by newlines. A carriage return before a newline is JSON whitespace; clients on Windows write it.',
    fix: readLines,
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const ping = conversation.ping();
      await understood(conversation, `${JSON.stringify(ping)}\r\n`, ping.id, 'a request that ends with CR LF');
    },
  },
  {
    id: 'wire/blank-lines-are-taken',
    level: 'ADVICE',
    title: 'skip blank lines',
    says: 'A blank line is not a message. The server continues with the next line.',
    fix: 'Skip lines that contain only whitespace before they reach the JSON parser.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      conversation.probe.write('\n\n  \n\r\n');
      await conversation.barrier('blank lines');
    },
  },
  {
    id: 'wire/stderr-may-be-unread',
    level: 'ADVICE',
    title: 'answer while stderr is not read',
    says: 'A client may ignore the stderr of a server. Some clients do not read it, so its pipe becomes full.',
    source: stdio,
    fix: {
      python: 'Log through a logging.handlers.QueueHandler, and do not log whole messages.',
      java: 'Log through an asynchronous appender that discards records when it is full.',
      any: 'Do not log whole messages by default, or log from a separate thread that discards records while stderr is full.',
    },
    uses: 'own',
    check: async (ruleRun) => {
      const conversation = await ruleRun.open();
      const { probe } = conversation;
      const length = await burstOf(conversation, REQUESTS);
      probe.pauseReading('stderr');
      const pings = Array.from({ length }, () => conversation.ping(undefined, { _meta: { padding: PADDING } }));
      for (const ping of pings) probe.send(ping);
      try {
        await allAnswered(ruleRun, conversation, idsOf(pings), 'while stderr was not read');
      } finally {
        probe.resumeReading('stderr');
      }
    },
  },
]);

/** Each write has a whole request and a part of another: the answer to the first proves that the part was read separately. */
async function inParts(
  conversation: Conversation,
  where: string,
  id: string,
  cut: (line: Buffer) => number,
): Promise<void> {
  const { probe } = conversation;
  const before = conversation.ping();
  const from = probe.frames.length;
  const line = Buffer.from(`${JSON.stringify(conversation.ping(id))}\n`);
  probe.write(Buffer.concat([Buffer.from(`${JSON.stringify(before)}\n`), line.subarray(0, cut(line))]));
  await probe.answerTo(before.id, 'a request that was followed by a part of another');
  const answer = await echo(conversation, id, { bytes: line.subarray(cut(line)), from });
  if (!answer.frame) violation(`There was no answer to a request that was split ${where}.`);
  if (answer.id === null) violation(`The server could not read a request that was split ${where}.`);
  const isSame = answer.id === id || !isUtf8(answer.frame.bytes); // wire/utf-8 reports an answer that is not UTF-8
  if (!isSame) {
    violation(`The id ${JSON.stringify(id)}, split ${where}, was returned as ${JSON.stringify(answer.id)}.`);
  }
}
