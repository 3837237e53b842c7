// A message in parts. Each write holds a whole request and a part of another: the answer to the first proves that the part was read alone.

import { isUtf8 } from 'node:buffer';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import { echo, isEchoed } from '../answers.ts';
import { readLines } from './input.ts';
import { stdio } from './sources.ts';

export const splitWrites: ServerRule = {
  id: 'wire/split-writes',
  level: 'MUST',
  title: 'split its input at newlines',
  says: 'Messages are separated by newlines, not by reads: one read may return several messages, or a part of one that ends inside a character.',
  source: stdio,
  fix: {
    ...readLines,
    node: 'Collect the bytes of stdin, split them at 0x0A, and decode each part only then. Do not use node:readline: it splits at U+2028 too.',
  },
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    if (!(await isEchoed(conversation, 'é 漢 😀'))) {
      notApplicable('the server does not give back ids with letters of other scripts');
    }
    await inParts(conversation, 'after its first byte', 'one', () => 1);
    await inParts(conversation, 'before its newline', 'two', (line) => line.length - 1);
    for (const char of ['é', '漢', '😀']) {
      for (let byte = 1; byte < Buffer.byteLength(char); byte++) {
        await inParts(conversation, `inside of ${char}`, `${byte} ${char}`, (line) => line.indexOf(char) + byte);
      }
    }
  },
};

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
  const isSame = answer.id === id || !isUtf8(answer.frame.bytes); // the latter is a rule of its own
  if (!isSame) {
    violation(`The id ${JSON.stringify(id)}, split ${where}, came back as ${JSON.stringify(answer.id)}.`);
  }
}
