// Rules about the lines of stdout. They read what all processes wrote; line-reader.ts finds the fault of a line.

import { logToStderr, writeJson, writeOneLine, writeUtf8 } from '../../../../wire/diagnosis/advice.ts';
import { diagnoseLine } from '../../../../wire/diagnosis/diagnose.ts';
import type { Fix, Source } from '../../../rule.ts';
import { violation } from '../../../verdict.ts';
import type { Frame, LineFault } from '../../line-reader.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { stdio } from './sources.ts';

interface LineRule {
  readonly id: string;
  readonly level?: ServerRule['level'];
  readonly title: string;
  readonly says: string;
  readonly source?: Source;
  readonly fix: Fix;
  readonly fault: LineFault;
  /** What the server did. */
  readonly problem: string;
}

function lineRule({ level = 'MUST', source = stdio, fault, problem, ...text }: LineRule): ServerRule {
  return {
    ...text,
    level,
    source,
    runs: 'each era',
    uses: 'seen',
    check: (ruleRun) => refuse(ruleRun, fault, problem),
  };
}

/** It is a violation if a process wrote a line with this fault. */
export function refuse({ seen }: ServerRuleRun, fault: LineFault, problem: string): void {
  for (const { frames } of seen) {
    const faulty = frames.filter((frame) => frame.fault === fault);
    if (faulty.length > 0) violation(`${problem}${cause(faulty[0]!)}.`, ...faulty.slice(0, MOST_PROOF));
  }
}

const MOST_PROOF = 10;
const MOST_DIAGNOSED = 16 * 1024;

function cause({ bytes }: Frame): string {
  const found = diagnoseLine(Buffer.from(bytes.subarray(0, MOST_DIAGNOSED)).toString('utf8'));
  return found ? `: it ${found.problem}` : '';
}

export const onlyMessages = lineRule({
  id: 'wire/only-messages',
  title: 'write only messages to stdout',
  says: 'A server writes nothing to stdout that is not a valid MCP message. Logs belong to stderr.',
  fix: logToStderr,
  fault: 'text',
  problem: 'The server wrote a line to stdout that is not JSON',
});

export const noOtherJson = lineRule({
  id: 'wire/no-other-json',
  title: 'not write JSON other than messages to stdout',
  says: 'A server writes nothing to stdout that is not a valid MCP message. A log in JSON is not one.',
  fix: logToStderr,
  fault: 'other JSON',
  problem: 'The server wrote JSON to stdout that is not a message of JSON-RPC',
});

export const validJson = lineRule({
  id: 'wire/valid-json',
  title: 'write valid JSON',
  says: 'A message is valid JSON: NaN, Infinity, single quotes and trailing commas do not belong to it.',
  fix: {
    ...writeJson,
    python:
      'Write print(json.dumps(message, allow_nan=False), flush=True): by default, json.dumps writes NaN and Infinity.',
  },
  fault: 'invalid JSON',
  problem: 'The server wrote a message that is not valid JSON',
});

export const noNewlineInside = lineRule({
  id: 'wire/no-newline-inside',
  title: 'not write newlines inside a message',
  says: 'Messages are separated by newlines and must not contain any.',
  fix: writeOneLine,
  fault: 'several lines',
  problem: 'The server wrote one message over several lines',
});

export const oneMessagePerLine = lineRule({
  id: 'wire/one-message-per-line',
  title: 'write one message per line',
  says: 'Messages are separated by newlines: no second message begins on the same line.',
  fix: { any: 'Append a newline to each message, also to notifications, and write both in one call.' },
  fault: 'several messages',
  problem: 'The server wrote several messages on one line',
});

export const noByteOrderMark = lineRule({
  id: 'wire/no-byte-order-mark',
  title: 'not write a byte order mark',
  says: 'A message is JSON, and JSON that is sent to another program does not begin with a byte order mark.',
  fix: writeUtf8,
  fault: 'byte order mark',
  problem: 'The server wrote a byte order mark (EF BB BF) before a message',
});

export const noColours = lineRule({
  id: 'wire/no-colours',
  title: 'not write terminal colours to stdout',
  says: 'A server writes nothing to stdout that is not a valid MCP message. Control sequences of a terminal are not part of one.',
  fix: {
    node: 'Write messages with process.stdout.write, not with a logger or console.dir that colours its output.',
    any: 'Write messages past the logger that colours its output, and do not assume that stdout is a terminal.',
  },
  fault: 'colours',
  problem: 'The server wrote a message between control sequences of a terminal',
});

export const noBlankLines = lineRule({
  id: 'wire/no-blank-lines',
  level: 'SHOULD',
  title: 'not write blank lines to stdout',
  says: 'A server writes nothing to stdout that is not a valid MCP message. Clients that parse every line report an error for a blank one.',
  fix: { any: 'Append one newline to each message, not two.' },
  fault: 'blank',
  problem: 'The server wrote a blank line to stdout',
});
