// Rules about the bytes of stdout, and about how stdin is split into messages.

import { flush, logToStderr, writeUtf8 } from '../../../../wire/diagnosis/advice.ts';
import type { Fix } from '../../../rule.ts';
import { litemcp } from '../../../sources.ts';
import { violation } from '../../../verdict.ts';
import { liteServerRows } from '../lite-rule-run.ts';
import { callData, callWithParameters, paramOf } from '../permitted-call.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const isMark = (bytes: Uint8Array) => BYTE_ORDER_MARK.equals(bytes);

const CHARACTERS = 'é, 你好, 😀';

const collect: Fix = {
  python: 'Read lines from sys.stdin.buffer and collect them until two blank lines follow; then call json.loads.',
  node: 'Collect chunks in a buffer and take out a message at each three newlines; decode only whole messages.',
  java: 'Read lines from a BufferedReader and collect them until two blank lines follow.',
  any: 'Collect the bytes of stdin and take out a message at each three newlines in a row.',
};

const writtenRules = liteServerRows({ level: 'ADVICE', uses: 'seen' }, [
  {
    id: 'litemcp-wire/only-messages',
    level: 'MUST',
    title: 'write only messages to stdout',
    says: 'Client and server exchange messages over stdin and stdout. A server writes logs to stderr.',
    source: litemcp,
    fix: logToStderr,
    check: ({ seen }) => {
      for (const { frames } of seen) {
        const stray = frames.find(({ message, bytes }) => message === undefined && !isMark(bytes));
        if (stray) violation('The server wrote text to stdout that is not a message.', stray);
      }
    },
  },
  {
    id: 'litemcp-wire/utf-8',
    level: 'MUST',
    title: 'write UTF-8',
    says: 'Messages are JSON, and JSON exchanged between programs is UTF-8 without a byte order mark.',
    source: litemcp,
    fix: writeUtf8,
    check: ({ seen }) => {
      const decoder = new TextDecoder('utf-8', { fatal: true });
      for (const frame of seen.flatMap(({ frames }) => frames)) {
        if (isMark(frame.bytes)) violation('The server wrote a byte order mark before a message.', frame);
        try {
          decoder.decode(frame.bytes);
        } catch {
          violation('The server wrote bytes that are not valid UTF-8.', frame);
        }
      }
    },
  },
  {
    id: 'litemcp-wire/answers-end-with-three-newlines',
    title: 'end answers with three newlines',
    says: 'Three newlines end a message to the server. A client needs them after an answer too, because JSON may have any number of lines.',
    fix: {
      python: 'Write sys.stdout.write(json.dumps(message) + "\\n\\n\\n"), then sys.stdout.flush().',
      node: "Write process.stdout.write(JSON.stringify(message) + '\\n\\n\\n').",
      java: 'Write System.out.print(json + "\\n\\n\\n"), then System.out.flush().',
      dotnet: 'Write Console.Out.Write(json + "\\n\\n\\n").',
      any: 'Append three newline characters to each message.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const answer = await probe.ask('get', {});
      await probe.until(() => (answer.newlines >= 3 ? answer : undefined), 'Three newlines did not follow the answer');
    },
  },
  {
    id: 'litemcp-wire/no-three-newlines-inside',
    title: 'not write three newlines in a row inside an answer',
    says: 'Three newlines in a row end a message. JSON may have several lines, but not two consecutive blank lines.',
    fix: 'Write each message on one line, as the JSON serializer does without indentation.',
    check: ({ seen }) => {
      const frame = seen.flatMap(({ messages }) => messages).find(({ bytes }) => /\n\r?\n\r?\n/.test(text(bytes)));
      if (frame) violation('A message contains three newlines in a row.', frame);
    },
  },
  {
    id: 'litemcp-wire/flushed-at-once',
    title: 'flush answers immediately',
    says: 'A client waits for the answer and keeps stdin open. An answer that stays in a buffer never arrives.',
    fix: flush,
    uses: 'shared',
    check: async (ruleRun) => {
      await (await ruleRun.shared()).ask('get', {});
    },
  },
]);

const readRules = liteServerRows({ level: 'MUST', source: litemcp, fix: collect, uses: 'shared' }, [
  {
    id: 'litemcp-wire/requests-over-several-lines',
    title: 'read a request of several lines',
    says: 'The server processes its input at three newlines in a row, and not before: JSON may have line breaks and a blank line.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const { id, text: request } = probe.text('get', {});
      const json = JSON.stringify(JSON.parse(request), undefined, 4).replace('\n', '\n\n');
      probe.write(`${json}\n\n\n`);
      await probe.answerTo(id, 'a request over several lines');
    },
  },
  {
    id: 'litemcp-wire/crlf',
    level: 'ADVICE',
    title: 'accept CRLF as a newline',
    says: 'Clients on Windows may end lines with a carriage return and a newline.',
    source: { of: 'standpipe' },
    fix: { ...collect, any: 'Remove carriage returns before newlines, then look for three newlines in a row.' },
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const { id, text: request } = probe.text('get', {});
      probe.write(request.replaceAll('\n', '\r\n'));
      await probe.answerTo(id, 'a request that ends with three CRLF');
    },
  },
  {
    id: 'litemcp-wire/newlines-between-messages',
    level: 'ADVICE',
    title: 'skip newlines between messages',
    says: 'Additional newlines after a message are not a further message.',
    source: { of: 'standpipe' },
    fix: 'Skip newlines before a message, and messages that contain only whitespace.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const ids = ['\n', '\n\n\n', '\n\n\n\n\n\n\n'].map((newlines) => {
        const { id, text: request } = probe.text('get', {});
        probe.write(newlines + request);
        return id;
      });
      for (const id of ids) await probe.answerTo(id, 'a request after additional newlines');
    },
  },
  {
    id: 'litemcp-wire/several-messages-in-one-write',
    title: 'read all messages that arrive together',
    says: 'Three newlines end each message. One read may return several messages.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const requests = Array.from({ length: 5 }, () => probe.text('get', {}));
      probe.write(requests.map((request) => request.text).join(''));
      for (const { id } of requests) await probe.answerTo(id, 'one of five requests in one write');
    },
  },
  {
    id: 'litemcp-wire/split-messages',
    title: 'read a message that arrives in pieces',
    says: 'Only three newlines end a message. The message and the newlines may arrive in pieces.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const [first, second, third] = [probe.text('get', {}), probe.text('get', {}), probe.text('get', {})];
      // Each write ends with the beginning of a message. The answer to the message before it proves that the server has read it.
      probe.write(first.text + second.text.slice(0, 20));
      await probe.answerTo(first.id, '"get" before the first piece of another request');
      probe.write(second.text.slice(20) + third.text.slice(0, -1));
      await probe.answerTo(second.id, 'a request that was sent in two pieces');
      probe.write('\n');
      await probe.answerTo(third.id, 'a request whose last newline was sent later');
    },
  },
  {
    id: 'litemcp-wire/split-characters',
    level: 'ADVICE',
    title: 'decode a character that arrives in pieces correctly',
    says: 'A UTF-8 character has up to four bytes, and a read of stdin may end between them.',
    source: { of: 'standpipe' },
    fix: {
      node: "Call process.stdin.setEncoding('utf8'), or decode whole messages instead of chunks.",
      python: 'Read lines from sys.stdin or sys.stdin.buffer, and do not decode the blocks of os.read.',
      any: 'Decode whole messages, not each block that was read.',
    },
    check: async (ruleRun) => {
      const call = callWithParameters(ruleRun);
      const probe = await ruleRun.shared();
      const first = probe.text('get', {});
      const second = probe.text('call', callData(call.tool, [...call.arguments.slice(0, -1), CHARACTERS]));
      const bytes = Buffer.from(second.text);
      const inside = bytes.indexOf(Buffer.from('你')) + 1;
      probe.write(Buffer.concat([Buffer.from(first.text), bytes.subarray(0, inside)]));
      await probe.answerTo(first.id, '"get" before the first piece of a call');
      probe.write(bytes.subarray(inside));
      const answer = await probe.answerTo(second.id, 'a call that was sent in two pieces');
      const back = paramOf(answer, call.names.at(-1)!);
      if (back !== CHARACTERS)
        violation(`The argument ${JSON.stringify(CHARACTERS)} arrived as ${JSON.stringify(back)}.`);
    },
  },
]);

export const wireRules = [...writtenRules, ...readRules];

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
