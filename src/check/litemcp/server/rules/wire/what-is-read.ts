// Rules about how stdin is split into messages.

import type { Fix } from '../../../../rule.ts';
import { notApplicable, violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';
import { callData } from '../../permitted-call.ts';
import { paramOf } from '../params.ts';

const collect: Fix = {
  python: 'Read lines from sys.stdin.buffer and collect them until two blank lines follow; then json.loads.',
  node: 'Collect chunks in a buffer and take out a message for each three newlines; decode a whole message only.',
  java: 'Read lines from a BufferedReader and collect them until two blank lines follow.',
  any: 'Collect the bytes of stdin and take out a message for each three newlines in a row.',
};

export const severalLines: LiteServerRule = {
  id: 'litemcp-wire/requests-over-several-lines',
  level: 'MUST',
  title: 'read a request of several lines',
  says: 'The server starts to process its input at three newlines in a row, and not before: JSON may have line breaks and a blank line.',
  source: { of: 'litemcp' },
  fix: collect,
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const { id, text } = probe.text('get', {});
    const json = JSON.stringify(JSON.parse(text), undefined, 4).replace('\n', '\n\n');
    probe.write(`${json}\n\n\n`);
    await probe.answerTo(id, 'a request over several lines');
  },
};

export const crlf: LiteServerRule = {
  id: 'litemcp-wire/crlf',
  level: 'ADVICE',
  title: 'accept CRLF as a newline',
  says: 'Clients on Windows may end lines with a carriage return and a newline.',
  source: { of: 'standpipe' },
  fix: { ...collect, any: 'Remove the carriage returns before newlines, then look for three newlines in a row.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const { id, text } = probe.text('get', {});
    // The newline ends the message for a server that waits for three of them without carriage returns: the rule then says what is wrong.
    probe.write(text.replaceAll('\n', '\r\n'));
    await probe.answerTo(id, 'a request that ends with three CRLF');
  },
};

export const newlinesBetween: LiteServerRule = {
  id: 'litemcp-wire/newlines-between-messages',
  level: 'ADVICE',
  title: 'skip newlines between messages',
  says: 'A client that writes more than three newlines after a message has sent no further message with them.',
  source: { of: 'standpipe' },
  fix: { any: 'Skip newlines before a message, and messages of white space only.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const ids = ['\n', '\n\n\n', '\n\n\n\n\n\n\n'].map((newlines) => {
      const { id, text } = probe.text('get', {});
      probe.write(newlines + text);
      return id;
    });
    for (const id of ids) await probe.answerTo(id, 'a request after additional newlines');
  },
};

export const severalInOneWrite: LiteServerRule = {
  id: 'litemcp-wire/several-messages-in-one-write',
  level: 'MUST',
  title: 'read all messages that arrive together',
  says: 'Three newlines end each message. More than one message may be in what a server reads at once.',
  source: { of: 'litemcp' },
  fix: collect,
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const requests = Array.from({ length: 5 }, () => probe.text('get', {}));
    probe.write(requests.map(({ text }) => text).join(''));
    for (const { id } of requests) await probe.answerTo(id, 'one of five requests in one write');
  },
};

export const splitWrites: LiteServerRule = {
  id: 'litemcp-wire/split-messages',
  level: 'MUST',
  title: 'read a message that arrives in pieces',
  says: 'Only three newlines end a message. It may arrive in pieces, and so may the newlines.',
  source: { of: 'litemcp' },
  fix: collect,
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const [first, second, third] = [probe.text('get', {}), probe.text('get', {}), probe.text('get', {})];
    // Each piece begins with the end of a message: its answer proves that the server has read the beginning of the next one.
    probe.write(first.text + second.text.slice(0, 20));
    await probe.answerTo(first.id, '"get" before the first piece of another request');
    probe.write(second.text.slice(20) + third.text.slice(0, -1));
    await probe.answerTo(second.id, 'a request that came in two pieces');
    probe.write('\n');
    await probe.answerTo(third.id, 'a request whose last newline came later');
  },
};

const CHARACTERS = 'é, 你好, 😀';

export const splitCharacters: LiteServerRule = {
  id: 'litemcp-wire/split-characters',
  level: 'ADVICE',
  title: 'keep a character that arrives in pieces whole',
  says: 'A character of UTF-8 has up to four bytes, and a read of stdin may end between them.',
  source: { of: 'standpipe' },
  fix: {
    node: "Call process.stdin.setEncoding('utf8'), or decode a whole message instead of each chunk.",
    python: 'Read lines from sys.stdin or sys.stdin.buffer, and do not decode the blocks of os.read.',
    any: 'Decode a whole message, not each block that was read.',
  },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.freeCall();
    if (call.names.length === 0) notApplicable('the tool has no parameters');
    const probe = await ruleRun.shared();
    const first = probe.text('get', {});
    const second = probe.text('call', callData(call.tool, [...call.arguments.slice(0, -1), CHARACTERS]));
    const bytes = Buffer.from(second.text);
    const inside = bytes.indexOf(Buffer.from('你')) + 1;
    probe.write(Buffer.concat([Buffer.from(first.text), bytes.subarray(0, inside)]));
    await probe.answerTo(first.id, '"get" before the first piece of a call');
    probe.write(bytes.subarray(inside));
    const answer = await probe.answerTo(second.id, 'a call that came in two pieces');
    const back = paramOf(answer, call.names.at(-1)!);
    if (back !== CHARACTERS)
      violation(`The argument ${JSON.stringify(CHARACTERS)} arrived as ${JSON.stringify(back)}.`);
  },
};
