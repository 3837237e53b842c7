// Answers in an unreadable form: another encoding, notation or framing, or other text on the same line. Each rule
// requires the answer itself as proof, so that a log line is never mistaken for one.

import { isJson, isObject, type JsonObject } from '../../base/json-object.ts';
import { jsonObjects } from '../../base/top-level-json.ts';
import { endLine, flush, logToStderr, writeJson, writeOneLine, writeUtf8 } from './advice.ts';
import type { Language } from './language.ts';
import { isProper, withoutColours } from './observations.ts';
import { adviceIn, quoted, type Rule } from './rule.ts';

/** `"jsonrpc"` in UTF-16 of either byte order, read as UTF-8. */
const JSONRPC_IN_UTF16 = 'j\0s\0o\0n\0r\0p\0c';

const utf16: Rule = {
  name: 'utf-16',
  isFinal: true,
  find({ text, language }) {
    if (!text.includes(JSONRPC_IN_UTF16)) return undefined;
    return { problem: 'writes UTF-16 to stdout; messages are UTF-8', fix: adviceIn(writeUtf8, language) };
  },
};

const liteMcp: Rule = {
  name: 'litemcp',
  isFinal: true,
  find({ text }) {
    for (const { value } of jsonObjects(text)) {
      if (!isLiteMcpAnswer(value)) continue;
      return {
        problem: 'uses LiteMCP, not MCP',
        fix: 'Set "protocol": "litemcp" in its config entry, or --litemcp on the command line.',
      };
    }
    return undefined;
  },
};

function isLiteMcpAnswer({ version, type, data, jsonrpc }: JsonObject): boolean {
  const isVersion = Array.isArray(version) && version.length === 3 && version.every(Number.isInteger);
  return isVersion && (type === 'info' || type === 'result') && isObject(data) && jsonrpc === undefined;
}

/** The forms in which languages print an object that was not serialized as JSON. */
const notations: readonly { language: Language; what: string; pattern: RegExp }[] = [
  { language: 'python', what: "Python's repr of a dict", pattern: /\{[^{}\n]{0,80}'jsonrpc'\s*:\s*'2\.0'/g },
  { language: 'python', what: "Python's repr of bytes", pattern: /^b['"]\{.{0,80}jsonrpc/gm },
  { language: 'node', what: 'the console.log form of an object', pattern: /\{[^{}]{0,40}\bjsonrpc:\s*'2\.0'/g },
  {
    language: 'ruby',
    what: "Ruby's inspect of a Hash",
    pattern: /\{[^{}\n]{0,40}(?:"jsonrpc"|:jsonrpc)\s*=>\s*"2\.0"/g,
  },
  { language: 'java', what: 'toString() of a Map', pattern: /\{[^{}\n]{0,40}\bjsonrpc=2\.0/g },
  { language: 'go', what: 'a Go map as fmt prints it', pattern: /\bmap\[[^\n]{0,400}jsonrpc:2\.0/g },
  { language: 'php', what: 'print_r or var_dump of an array', pattern: /\["?jsonrpc"?\]\s*=>/g },
  { language: 'rust', what: 'the Debug form of a struct', pattern: /\w \{ jsonrpc: "2\.0"/g },
];
const NOTATION_WINDOW = 600;

const otherNotation: Rule = {
  name: 'not-json',
  isFinal: true,
  find({ text }) {
    for (const { language, what, pattern } of notations) {
      for (const match of text.matchAll(pattern)) {
        const window = text.slice(match.index, match.index + NOTATION_WINDOW);
        if (!/\b(?:result|error)\b/.test(window) || /\bmethod\b['"]?\s*(?::|=)/.test(window)) continue; // the text is a log of a request
        return { problem: `writes its answers as ${what} instead of JSON`, fix: adviceIn(writeJson, language) };
      }
    }
    return undefined;
  },
};

const literals: Rule = {
  name: 'not-json',
  isFinal: true,
  find({ text }) {
    const line = text.split('\n').find((each) => /^\s*\{.*"jsonrpc"/.test(each) && !isJson(each));
    if (line === undefined) return undefined;
    const python = replaceOutsideStrings(line, /\b(?:True|False|None)\b/g);
    if (python !== line && isJson(python)) {
      return {
        problem: 'writes Python True, False or None instead of true, false or null',
        fix: writeJson.python!,
      };
    }
    const numbers = replaceOutsideStrings(line, /-?\b(?:NaN|Infinity)\b/g);
    if (numbers === line || !isJson(numbers)) return undefined;
    const fix =
      'Replace such numbers with null before the message is written (Python: json.dumps(…, allow_nan=False) finds them).';
    return { problem: 'writes NaN or Infinity, which JSON does not have', fix };
  },
};

const severalLines: Rule = {
  name: 'indented-json',
  isFinal: true,
  find(observed) {
    const { text, language } = observed;
    const problem = 'writes one message over several lines; over stdio a message is one line';
    const isOpened =
      /^[ \t]*\{[ \t]*\r?\n\s*"(?:jsonrpc|id|result|error)"\s*:/m.test(text) && !/"method"\s*:/.test(text);
    if (isOpened || observed.answers.some((answer) => answer.text.includes('\n'))) {
      return { problem, fix: adviceIn(writeOneLine, language) };
    }
    const broken = text.includes('\n') && hasAnswerOverLines(text);
    return broken
      ? {
          problem: `${problem}: a line break inside a string is written as \\n`,
          fix: adviceIn(writeJson, language),
        }
      : undefined;
  },
};

const contentLength: Rule = {
  name: 'content-length',
  isFinal: true,
  find({ text }) {
    if (!/^Content-Length:[ \t]*\d+\r?\n(?:[\w-]+:.*\r?\n){0,20}\r?\n\s*\{/im.test(text)) return undefined;
    return {
      problem:
        'puts a Content-Length header before each message, as language servers do; MCP over stdio has one message per line',
      fix: 'Use a stdio transport of MCP in the server. To use it as it is, set "framing": "content-length" in its config entry (--framing content-length on the command line of tools, call and the like).',
    };
  },
};

const noNewline: Rule = {
  name: 'no-newline',
  isFinal: true,
  find(observed) {
    const open = observed.answers.some(
      ({ after, isEnded, isAfterEof }) =>
        !isAfterEof && (after.trimStart().startsWith('{') || (!isEnded && observed.isWhole && /^[\s\0]*$/.test(after))),
    );
    if (!open) return undefined;
    return { problem: 'does not end its messages with a newline', fix: adviceIn(endLine, observed.language) };
  },
};

const batch: Rule = {
  name: 'batch',
  isFinal: true,
  find({ answers }) {
    const listed = answers.find(
      ({ before, text, after }) => before.trim() !== '' && isJson(`${before}${text}${after}`),
    );
    if (!listed || answers.some(isProper)) return undefined;
    return {
      problem: 'writes its answers inside an array (a JSON-RPC batch); over stdio a line is one message',
      fix: 'Write each message as one JSON object on its own line, not as an array.',
    };
  },
};

const otherTextOnTheLine: Rule = {
  name: 'text-on-the-line',
  isFinal: true,
  find(observed) {
    const mixed = observed.answers.find(({ before, after }) => before.trim() !== '' || after.trim() !== '');
    if (!mixed || observed.answers.some(isProper)) return undefined;
    const other = `${mixed.before} ${mixed.after}`.trim();
    if (withoutColours(other).trim() === '') {
      return {
        problem: 'colours its messages with terminal escape codes',
        fix: `${adviceIn(writeJson, observed.language)} Or set NO_COLOR=1 in its "env".`,
      };
    }
    if (mixed.before === '\ufeff' && mixed.after.trim() === '') {
      return { problem: 'writes a byte order mark before a message', fix: adviceIn(writeUtf8, observed.language) };
    }
    return {
      problem: `prints other text on the line of a message: ${quoted(other)}`,
      fix: `stdout is for messages only. ${adviceIn(logToStderr, observed.language)}`,
    };
  },
};

const noVersion: Rule = {
  name: 'no-jsonrpc',
  isFinal: true,
  find({ answers }) {
    const bare = answers.find(({ value }) => value.jsonrpc !== '2.0');
    if (!bare) return undefined;
    const given =
      bare.value.jsonrpc === undefined ? 'without "jsonrpc"' : `with "jsonrpc": ${JSON.stringify(bare.value.jsonrpc)}`;
    return { problem: `answers ${given}`, fix: 'Every message has the member "jsonrpc" with the string "2.0".' };
  },
};

const cannotRead: Rule = {
  name: 'cannot-read-requests',
  isFinal: true,
  find({ answers }) {
    const refusal = answers.find(({ value }) => (value.id === null || value.id === undefined) && isObject(value.error));
    if (!refusal) return undefined;
    const { message } = refusal.value.error as { message: string };
    return {
      problem: `cannot read the requests: it answered ${quoted(message)} without an id`,
      fix: 'The server must read one JSON message per line, in UTF-8. If it uses another framing, set it: "framing" in the config, --framing on the command line.',
    };
  },
};

/** Our ids count from 1, and fewer requests than this are sent before a session is open. */
const MOST_REQUESTS = 20;

const wrongId: Rule = {
  name: 'wrong-id',
  isFinal: true,
  find({ answers }) {
    const stray = answers.find((answer) => isProper(answer) && !isOurs(answer.value.id));
    if (!stray || answers.some(({ value }) => isOurs(value.id))) return undefined;
    return {
      problem: `answers with the id ${JSON.stringify(stray.value.id) ?? 'absent'}, which matches no request`,
      fix: 'Copy the "id" of the request into its answer, unchanged.',
    };
  },
};

const missingFlush: Rule = {
  name: 'missing-flush',
  find(observed) {
    const proper = observed.answers.filter(isProper);
    if (proper.length === 0 || !proper.every(({ isAfterEof }) => isAfterEof)) return undefined;
    return {
      problem: 'answers only when its stdin is closed: it does not flush stdout, or it reads stdin to the end first',
      fix: `${adviceIn(flush, observed.language)} Read stdin line by line.`,
    };
  },
};

export const messageForm: readonly Rule[] = [
  utf16,
  liteMcp,
  contentLength,
  otherNotation,
  literals,
  missingFlush,
  severalLines,
  noNewline,
  batch,
  otherTextOnTheLine,
  noVersion,
  cannotRead,
  wrongId,
];

function isOurs(id: unknown): boolean {
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= MOST_REQUESTS;
}

function replaceOutsideStrings(line: string, words: RegExp): string {
  return line.replace(/"(?:[^"\\]|\\.)*"?|[^"]+/g, (part) => (part[0] === '"' ? part : part.replace(words, 'null')));
}

/** Whether the text has an answer that is valid without the line breaks inside its strings. */
function hasAnswerOverLines(text: string): boolean {
  for (const { value, start, end } of jsonObjects(text.replace(/[\r\n]/g, ' '))) {
    const isAnswer = value.jsonrpc === '2.0' && value.method === undefined;
    if (isAnswer && text.slice(start, end).includes('\n')) return true;
  }
  return false;
}
