// Rules about the text in messages. The text is sent as the id of a request: the one thing that every server has to give back.

import { isUtf8 } from 'node:buffer';
import { writeUtf8 } from '../../../../wire/diagnosis/advice.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import { echo, isEchoed, understood } from '../answers.ts';
import { encoding, stdio } from './sources.ts';

const readUtf8 = {
  ...writeUtf8,
  python: 'Read and write UTF-8: sys.stdin.reconfigure(encoding="utf-8"), sys.stdout.reconfigure(encoding="utf-8").',
  java: 'Read with new InputStreamReader(System.in, UTF_8), and write through new PrintStream(out, true, UTF_8).',
  any: 'Read stdin and write stdout as UTF-8, whatever the locale of the system is.',
};

export const utf8: ServerRule = {
  id: 'wire/utf-8',
  level: 'MUST',
  title: 'write UTF-8',
  says: 'Messages are encoded in UTF-8.',
  source: encoding,
  since: '2025-03-26',
  fix: writeUtf8,
  runs: 'each era',
  uses: 'seen',
  check: ({ seen }) => {
    for (const { frames } of seen) {
      const invalid = frames.find(({ bytes }) => !isUtf8(bytes));
      if (invalid) violation('The server wrote bytes that are not UTF-8.', invalid);
    }
  },
};

const texts: Readonly<Record<string, string>> = {
  'Latin letters': 'Zürich, naïve, Ærøskøbing, Łódź',
  'other scripts': 'Ελληνικά Русский עברית العربية हिन्दी ไทย',
  'Chinese, Japanese and Korean': '漢字かなカナ한국어',
  emoji: '🙂 👩‍👩‍👧‍👦 🏳️‍🌈',
  'combining marks': 'e\u0301 n\u0303',
  'escaped characters': 'line\nnext\r\ttab "quoted" back\\slash </script>',
};

export const textSurvives: ServerRule = {
  id: 'wire/text-survives',
  level: 'MUST',
  title: 'return text of every script as it was sent',
  says: 'Messages are encoded in UTF-8, and an answer has the id of its request: an id with letters of any script comes back unchanged.',
  source: encoding,
  since: '2025-03-26',
  fix: readUtf8,
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    if (!(await isEchoed(conversation, 'plain'))) notApplicable('the server does not give back ids that are strings');
    for (const [kind, text] of Object.entries(texts)) {
      const { frame, id } = await echo(conversation, text);
      if (!frame) violation(`There was no answer to a request with ${kind} in its id.`);
      const isSame = id === text || !isUtf8(frame.bytes); // the latter is a rule of its own
      if (!isSame) violation(`The id ${JSON.stringify(text)} (${kind}) came back as ${JSON.stringify(id)}.`);
    }
  },
};

export const lineSeparators: ServerRule = {
  id: 'wire/line-separators-are-text',
  level: 'MUST',
  title: 'end messages only at newlines',
  says: 'Messages are separated by newlines. Other characters that separate lines (U+0085, U+2028, U+2029) may stand in a string.',
  source: stdio,
  fix: {
    python: 'Split input with readline() of sys.stdin.buffer or split(b"\\n"); str.splitlines() also splits at U+2028.',
    node: "Split input at '\\n'; node:readline also splits at U+2028 and U+2029.",
    any: 'Split the bytes of stdin at 0x0A only.',
  },
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    for (const separator of ['\u2028', '\u2029', '\u0085']) {
      const ping = conversation.ping(undefined, { _meta: { text: `a${separator}b` } });
      const code = separator.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      await understood(conversation, `${JSON.stringify(ping)}\n`, ping.id, `a request with U+${code} in a string`);
    }
  },
};
