// Long texts of a peer, matched by the patterns that read them. A pattern with quadratic time would take hours for one
// of these. `vm` is used because only its time limit ends a match.

import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { headerLines, maskedUrl } from '../../src/base/secrets/mask-http.ts';
import { redactor } from '../../src/base/secrets/redact.ts';
import { redactArguments } from '../../src/base/secrets/redact-arguments.ts';
import { isSecretName } from '../../src/base/secrets/secret-names.ts';
import { unfinishedValue } from '../../src/base/secrets/unfinished-value.ts';
import { visible, visibleIndented, visibleLine } from '../../src/base/terminal/visible.ts';
import { isSameMistake } from '../../src/check/report/causes.ts';
import { LineReader } from '../../src/check/server/line-reader.ts';
import { parseModelReply } from '../../src/litemcp/model-reply.ts';
import { kindOf, parseValue } from '../../src/litemcp/values.ts';
import { describeFrame } from '../../src/observe/analysis/describe-frame.ts';
import { diagnose, diagnoseLine } from '../../src/wire/diagnosis/diagnose.ts';
import { diagnoseHttp } from '../../src/wire/diagnosis/http.ts';
import { parseMessage } from '../../src/wire/jsonrpc/parse.ts';
import { traceMessage } from '../../src/wire/jsonrpc/recover-id.ts';
import { explainExit } from '../../src/wire/process/launch/explain-exit.ts';

const CHARS = 1024 * 1024;
/** Limit for one text. A linear pattern takes far less on the slowest machine. */
const MOST_MS = 200_000;

/** A start, and the unit that is repeated after it. Each row matches the repetitions of one or several patterns. */
const repeated: [start: string, unit: string][] = [
  ...[
    'a',
    'A',
    '0',
    '_',
    '-',
    '.',
    ' ',
    '\n',
    '\t',
    '\r\n',
    '\n ',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '{',
    '[',
    '#',
    '\x1b[',
    '\x1b]',
  ].map((unit): [string, string] => ['', unit]),
  // Secrets.
  ['', 'eyJ-'],
  ['eyJ', 'eyJabcdefgh-'],
  ['', 'eyJabcdefgh.eyJ '],
  ['token', '_'],
  ['password', '1'],
  ['', 'api_'],
  ['', 'apiKey'],
  ['token=', '\\'],
  ['token=\\\\\\"', '\\'],
  ['', 'token="\\'],
  ['', "token='a\\\\`"],
  ['', 'token=Bearer '],
  ['token=Bearer', ' '],
  ['', 'Bearer  '],
  ['', "--token '"],
  ['--token', ' '],
  ['', 'auth\\'],
  ['', '://a:'],
  ['://', 'a:'],
  ['', '-----BEGIN PRIVATE KEY-----'],
  ['', 'sk-'],
  ['', 'sp_'],
  ['', '[env A'],
  // Final output of failing programs.
  ['', 'usage '],
  ['', 'Error.'],
  ['Error', ':'],
  ['', 'ImportError: '],
  ['', 'python'],
  ['', 'ENOENT'],
  ['', 'ENOTFOUND'],
  ['', 'EADDRINUSE'],
  ['404', 'a'],
  ['', '404@'],
  ['', 'env: '],
  ['', 'cannot open '],
  ['', "Cannot find module 'a'\n"],
  ['', "Cannot find module '"],
  ['', 'sh: 1: '],
  ['', 'Requires a access\n'],
  ['', 'SyntaxError: invalid syntax\n'],
  ['', 'UnsupportedClassVersionError class file version 1 '],
  ['', 'UnsupportedClassVersionError\n'],
  ['', "The framework 'a', version '"],
  ['', "PermissionError: [Errno 13]: '"],
  ['', 'Permission denied: '],
  ['', ': not found'],
  ['', 'listening '],
  ['', 'Failed running . '],
  ['', 'unknown option '],
  ['', 'A_'],
  ['', '(y/n) '],
  // Messages with another framing.
  ['', 'Content-Length: 1\n'],
  ['Content-Length: 1\n', 'a:\n'],
  ['', '{"jsonrpc"'],
  ['{"jsonrpc":"', '\\"'],
  ['{"jsonrpc" ', '"\\'],
  ['', "{'jsonrpc'"],
  ['', "b'{"],
  ['', 'map['],
  ['', '{\n'],
  ['', '{"id":1 '],
  ['', '"id":1 '],
  ['', '"id":"\\'],
  ['', '"message":"\\'],
  ['', '{"tool"'],
  ['', '<think>'],
];

const texts = repeated.map(([start, unit]) => `${start}${unit.repeat(CHARS / unit.length)}a`);

const bytes = (text: string) => new TextEncoder().encode(text);
const redact = redactor({ keys: ['card'], paths: ['**.ssn'] });
const unfinished = unfinishedValue({ TOKEN: 'abcdefgh' });
const tool = { name: 'echo', description: '', args: [], returns: [] } as never;
const outcome = (reason: string) => ({ rule: reason.slice(0, 3), reason }) as never;

function symptoms(stdout: string, stderr: string, exitCode: number | undefined) {
  const out = bytes(stdout);
  const withheld = ['API_KEY'];
  return { command: 'node a.js', framing: 'newline', stdout: out, stdoutBytes: out.length, stderr, exitCode, withheld };
}

const readers: Record<string, (text: string) => unknown> = {
  'the redactor, as text': (text) => redact(text),
  'the redactor, as a value in a message': (text) => redact(JSON.stringify({ a: text, token: 1 })),
  'the redactor, as a key of a message': (text) => redact(JSON.stringify({ [text]: 1, token: 1 })),
  'names of secrets': (text) => isSecretName(`token${text}`) || isSecretName(text),
  'masks of URLs and headers': (text) => [maskedUrl(text), headerLines({ a: text, [text]: 'a' })],
  'arguments of commands': (text) => redactArguments(['--token', text, text], (masked) => masked),
  'the end of a chunk': (text) => unfinished(bytes(text)),
  'the diagnosis of stderr': (text) => diagnose(symptoms('', text, 1)),
  'the diagnosis of stdout': (text) => diagnose(symptoms(text, '', 1)),
  'the diagnosis of a server that runs': (text) => diagnose(symptoms(text, text, undefined)),
  'the diagnosis of a line': (text) => diagnoseLine(text),
  'the diagnosis of a response': (body) =>
    diagnoseHttp({
      url: { protocol: 'http:', host: 'a', hostname: 'a', pathname: '/' },
      status: 400,
      contentType: 'application/json',
      body,
    }),
  'the explanation of an exit': (text) =>
    explainExit({ command: 'a', phase: 'startup', exitCode: 1, stderrTail: text }),
  'descriptions of frames': (text) => {
    const payload = bytes(text);
    const frame = { kind: 'frame', direction: 'fromServer', payload, length: payload.length } as const;
    return [describeFrame(frame), describeFrame({ ...frame, cut: true, tail: payload.subarray(-256) })];
  },
  messages: (text) => [
    parseMessage(text, { batches: true, arrayParams: false, maxFrameValues: 1000 }),
    traceMessage(text),
  ],
  'lines of a server under test': (text) => new LineReader(() => undefined).push(Buffer.from(`${text}\n`)),
  'reasons of a report': (text) => isSameMistake(outcome(`a ${text}`), outcome(`b ${text}`)),
  'numbers of LiteMCP': (text) => {
    expect(kindOf('number')).toBe('number');
    try {
      return parseValue('number', text);
    } catch (error) {
      return error;
    }
  },
  'replies of models': (text) => parseModelReply(text, tool),
  'text on a terminal': (text) => [visible(text), visibleIndented(text), visibleLine(text)],
};

test.each(Object.keys(readers))('%s: reads long repetitive texts to the end', { timeout: 10 * MOST_MS }, (name) => {
  for (const text of texts) runInNewContext('read()', { read: () => readers[name]!(text) }, { timeout: MOST_MS });
});
