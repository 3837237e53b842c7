// Rules about the bytes of stdout.

import { flush, logToStderr, writeUtf8 } from '../../../../../wire/diagnosis/advice.ts';
import { violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const isMark = (bytes: Uint8Array) => BYTE_ORDER_MARK.equals(bytes);

export const onlyMessages: LiteServerRule = {
  id: 'litemcp-wire/only-messages',
  level: 'MUST',
  title: 'write only messages to stdout',
  says: 'Client and server exchange messages over stdin and stdout. The logs of a server belong to stderr.',
  source: { of: 'litemcp' },
  fix: logToStderr,
  uses: 'seen',
  check: ({ seen }) => {
    for (const { frames } of seen) {
      const noise = frames.find(({ message, bytes }) => message === undefined && !isMark(bytes));
      if (noise) violation('The server wrote text to stdout that is not a message.', noise);
    }
  },
};

export const utf8: LiteServerRule = {
  id: 'litemcp-wire/utf-8',
  level: 'MUST',
  title: 'write UTF-8',
  says: 'Messages are JSON, and JSON that programs exchange is UTF-8 without a byte order mark.',
  source: { of: 'litemcp' },
  fix: writeUtf8,
  uses: 'seen',
  check: ({ seen }) => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (const frame of seen.flatMap(({ frames }) => frames)) {
      if (isMark(frame.bytes)) violation('The server wrote a byte order mark before a message.', frame);
      try {
        decoder.decode(frame.bytes);
      } catch {
        violation('The server wrote bytes that are not UTF-8.', frame);
      }
    }
  },
};

export const threeNewlines: LiteServerRule = {
  id: 'litemcp-wire/answers-end-with-three-newlines',
  level: 'ADVICE',
  title: 'end answers with three newlines',
  says: 'Three newlines end a message to the server. A client needs the same after an answer, because JSON may have any number of lines.',
  source: { of: 'standpipe' },
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
};

export const noNewlinesInside: LiteServerRule = {
  id: 'litemcp-wire/no-three-newlines-inside',
  level: 'ADVICE',
  title: 'write no three newlines in a row inside an answer',
  says: 'Three newlines in a row end a message. JSON may have several lines, but not two blank ones in a row.',
  source: { of: 'standpipe' },
  fix: { any: 'Write each message on one line, as the JSON serializer does without indentation.' },
  uses: 'seen',
  check: ({ seen }) => {
    const frame = seen.flatMap(({ messages }) => messages).find(({ bytes }) => /\n\r?\n\r?\n/.test(text(bytes)));
    if (frame) violation('A message has three newlines in a row inside.', frame);
  },
};

export const flushedAtOnce: LiteServerRule = {
  id: 'litemcp-wire/flushed-at-once',
  level: 'ADVICE',
  title: 'flush answers at once',
  says: 'A client waits for the answer with its end of stdin open. An answer that stays in a buffer never arrives.',
  source: { of: 'standpipe' },
  fix: flush,
  uses: 'shared',
  check: async (ruleRun) => {
    await (await ruleRun.shared()).ask('get', {});
  },
};

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
