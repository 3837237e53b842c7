// Rules about the lines of stdout and the text in them. line-reader.ts finds the fault of a line. Text is sent as the id of a request, which
// every server has to return.

import { isUtf8 } from 'node:buffer';
import { endLine, logToStderr, writeJson, writeOneLine, writeUtf8 } from '../../../../wire/diagnosis/advice.ts';
import { diagnoseLine } from '../../../../wire/diagnosis/diagnose.ts';
import { mcp, stdio } from '../../../sources.ts';
import { violation } from '../../../verdict.ts';
import type { Frame, LineFault } from '../../line-reader.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { echo, needsStringIds, understood } from '../answers.ts';

const encoding = mcp('basic/transports');
const seenLines = { level: 'MUST', source: stdio, runs: 'each era', uses: 'seen' } as const;
const sentOnce = { level: 'MUST', source: encoding, runs: 'once', uses: 'shared' } as const;

const texts: Readonly<Record<string, string>> = {
  'Latin letters': 'Zürich, naïve, Ærøskøbing, Łódź',
  'other scripts': 'Ελληνικά Русский עברית العربية हिन्दी ไทย',
  'Chinese, Japanese and Korean': '漢字かなカナ한국어',
  emoji: '🙂 👩‍👩‍👧‍👦 🏳️‍🌈',
  'combining marks': 'e\u0301 n\u0303',
  'escaped characters': 'line\nnext\r\ttab "quoted" back\\slash </script>',
};

export const lineRules = serverRows(seenLines, [
  {
    id: 'wire/only-messages',
    title: 'write only messages to stdout',
    says: 'A server writes nothing to stdout that is not a valid MCP message. Logs go to stderr.',
    fix: logToStderr,
    check: refuse('text', 'The server wrote a line to stdout that is not JSON'),
  },
  {
    id: 'wire/no-other-json',
    title: 'not write JSON other than messages to stdout',
    says: 'A server writes nothing to stdout that is not a valid MCP message. A log record in JSON is not a message.',
    fix: logToStderr,
    check: refuse('other JSON', 'The server wrote JSON to stdout that is not a JSON-RPC message'),
  },
  {
    id: 'wire/valid-json',
    title: 'write valid JSON',
    says: 'A message is valid JSON, without NaN, Infinity, single quotes and trailing commas.',
    fix: {
      ...writeJson,
      python:
        'Write print(json.dumps(message, allow_nan=False), flush=True): by default, json.dumps writes NaN and Infinity.',
    },
    check: refuse('invalid JSON', 'The server wrote a message that is not valid JSON'),
  },
  {
    id: 'wire/no-newline-inside',
    title: 'not write newlines inside a message',
    says: 'Messages are separated by newlines and must not contain any.',
    fix: writeOneLine,
    check: refuse('several lines', 'The server wrote one message over several lines'),
  },
  {
    id: 'wire/one-message-per-line',
    title: 'write one message per line',
    says: 'Messages are separated by newlines: a line has one message.',
    fix: 'Append a newline to each message, including notifications, and write both in one call.',
    check: refuse('several messages', 'The server wrote several messages on one line'),
  },
  {
    id: 'wire/last-line-ends',
    level: 'ADVICE',
    title: 'end the last message with a newline',
    says: 'Messages are separated by newlines. A client that reads lines does not see a last message without a newline.',
    fix: endLine,
    runs: 'once',
    uses: 'own',
    check: async (ruleRun) => {
      const conversation = await ruleRun.open();
      const { probe } = conversation;
      await conversation.barrier();
      probe.endInput();
      await probe.maybe(() => undefined); // waits until the end of stdout
      if (!probe.ended) await probe.stop();
      const last = probe.frames.at(-1);
      if (last?.fault === 'no newline') violation('The last message on stdout does not end with a newline.', last);
    },
  },
  {
    id: 'wire/no-blank-lines',
    level: 'SHOULD',
    title: 'not write blank lines to stdout',
    says: 'A server writes nothing to stdout that is not a valid MCP message. Clients that parse every line report an error for a blank line.',
    fix: 'Append one newline to each message, not two.',
    check: refuse('blank', 'The server wrote a blank line to stdout'),
  },
  {
    id: 'wire/no-byte-order-mark',
    title: 'not write a byte order mark',
    says: 'A message is JSON, and JSON sent to another program does not begin with a byte order mark.',
    fix: writeUtf8,
    check: refuse('byte order mark', 'The server wrote a byte order mark (EF BB BF) before a message'),
  },
  {
    id: 'wire/no-colours',
    title: 'not write terminal colours to stdout',
    says: 'A server writes nothing to stdout that is not a valid MCP message. Terminal control sequences are not part of a message.',
    fix: {
      node: 'Write messages with process.stdout.write, not with a logger or console.dir that adds colours.',
      any: 'Write messages directly to stdout, not through a logger that adds colours.',
    },
    check: refuse('colours', 'The server wrote a message between terminal control sequences'),
  },
  {
    id: 'wire/utf-8',
    title: 'write UTF-8',
    says: 'Messages are encoded in UTF-8.',
    source: encoding,
    since: '2025-03-26',
    fix: writeUtf8,
    check: ({ seen }) => {
      for (const { frames } of seen) {
        const invalid = frames.find(({ bytes }) => !isUtf8(bytes));
        if (invalid) violation('The server wrote bytes that are not valid UTF-8.', invalid);
      }
    },
  },
  ...serverRows(sentOnce, [
    {
      id: 'wire/text-survives',
      title: 'return text of every script unchanged',
      says: 'Messages are encoded in UTF-8, and a response has the id of its request: an id with letters of any script is returned unchanged.',
      since: '2025-03-26',
      fix: {
        ...writeUtf8,
        python:
          'Read and write UTF-8: sys.stdin.reconfigure(encoding="utf-8"), sys.stdout.reconfigure(encoding="utf-8").',
        java: 'Read with new InputStreamReader(System.in, UTF_8), and write through new PrintStream(out, true, UTF_8).',
        any: 'Read stdin and write stdout as UTF-8, independently of the locale of the system.',
      },
      check: async (ruleRun) => {
        const conversation = await ruleRun.shared();
        await needsStringIds(conversation);
        for (const [kind, text] of Object.entries(texts)) {
          const { frame, id } = await echo(conversation, text);
          if (!frame) violation(`There was no answer to a request with ${kind} in its id.`);
          const isSame = id === text || !isUtf8(frame.bytes); // wire/utf-8 reports an answer that is not UTF-8
          if (!isSame) violation(`The id ${JSON.stringify(text)} (${kind}) was returned as ${JSON.stringify(id)}.`);
        }
      },
    },
    {
      id: 'wire/line-separators-are-text',
      title: 'split input only at newlines',
      says: 'Messages are separated by newlines. Other line separators (U+0085, U+2028, U+2029) may occur in a string.',
      source: stdio,
      fix: {
        python:
          'Split input with readline() of sys.stdin.buffer or split(b"\\n"); str.splitlines() also splits at U+2028.',
        node: "Split input at '\\n'; node:readline also splits at U+2028 and U+2029.",
        any: 'Split the bytes of stdin at 0x0A only.',
      },
      check: async (ruleRun) => {
        const conversation = await ruleRun.shared();
        for (const separator of ['\u2028', '\u2029', '\u0085']) {
          const ping = conversation.ping(undefined, { _meta: { text: `a${separator}b` } });
          const code = separator.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
          await understood(conversation, `${JSON.stringify(ping)}\n`, ping.id, `a request with U+${code} in a string`);
        }
      },
    },
  ]),
]);

const MOST_PROOF = 10;
const MOST_DIAGNOSED = 16 * 1024;

/** A violation if a process wrote a line with this fault. */
export function refuse(fault: LineFault, problem: string): (ruleRun: ServerRuleRun) => void {
  return ({ seen }) => {
    for (const { frames } of seen) {
      const faulty = frames.filter((frame) => frame.fault === fault);
      if (faulty.length > 0) violation(`${problem}${cause(faulty[0]!)}.`, ...faulty.slice(0, MOST_PROOF));
    }
  };
}

function cause({ bytes }: Frame): string {
  const found = diagnoseLine(Buffer.from(bytes.subarray(0, MOST_DIAGNOSED)).toString('utf8'));
  return found ? `: it ${found.problem}` : '';
}
