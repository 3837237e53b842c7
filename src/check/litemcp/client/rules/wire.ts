// Rules about the bytes that a client writes.

import { writeUtf8 } from '../../../../wire/diagnosis/advice.ts';
import { violation } from '../../../verdict.ts';
import type { LiteClientRule } from '../lite-client-rule.ts';
import { plain } from '../scenarios.ts';

const endings = {
  python: 'Write process.stdin.write(json.dumps(message).encode() + b"\\n\\n\\n"), then flush().',
  node: "Write child.stdin.write(JSON.stringify(message) + '\\n\\n\\n').",
  any: 'Write each message as JSON on one line, and three newline characters after it.',
};

export const threeNewlines: LiteClientRule = {
  id: 'litemcp-client/three-newlines',
  level: 'MUST',
  title: 'end requests with three newlines',
  says: 'The server processes its input when it has got three newlines in a row.',
  source: { of: 'litemcp' },
  fix: endings,
  scenarios: [plain],
  check: ({ messages }) => {
    const open = messages.find(({ newlines }) => newlines < 3);
    if (open) violation(`After a request came ${open.newlines} newlines instead of three.`, open);
  },
};

export const noNewlinesInside: LiteClientRule = {
  id: 'litemcp-client/no-three-newlines-inside',
  level: 'MUST',
  title: 'not write three newlines in a row inside a request',
  says: 'The server processes its input when it has got three newlines in a row, so a message has at most two inside.',
  source: { of: 'litemcp' },
  fix: endings,
  scenarios: [plain],
  check: ({ messages }) => {
    const cut = messages.find(({ bytes }) => Buffer.from(bytes).includes('\n\n\n'));
    if (cut) violation('A request has three newlines in a row inside.', cut);
  },
};

export const onlyMessages: LiteClientRule = {
  id: 'litemcp-client/only-messages',
  level: 'MUST',
  title: 'write only messages',
  says: 'What a client writes to stdin of the server are messages: JSON objects with a version, an id and a type.',
  source: { of: 'litemcp' },
  fix: { any: 'Write nothing but messages to stdin of the server.' },
  scenarios: [plain],
  check: ({ servers }) => {
    for (const { frames, rest } of servers) {
      const other = frames.find(({ message }) => message === undefined);
      if (other) violation('The client wrote text that is not a message.', other);
      if (rest.length > 0) violation(`The client left a message open: ${rest.length} bytes.`);
    }
  },
};

export const utf8: LiteClientRule = {
  id: 'litemcp-client/utf-8',
  level: 'MUST',
  title: 'write UTF-8',
  says: 'Messages are JSON, and JSON that programs exchange is UTF-8.',
  source: { of: 'litemcp' },
  fix: writeUtf8,
  scenarios: [plain],
  check: ({ messages }) => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (const message of messages) {
      try {
        decoder.decode(message.bytes);
      } catch {
        violation('The client wrote bytes that are not UTF-8.', message);
      }
    }
  },
};

export const wireRules = [threeNewlines, noNewlinesInside, onlyMessages, utf8];
