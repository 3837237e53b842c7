// Rules about the forms in which messages may arrive on stdin.

import type { ServerRule } from '../../server-rule.ts';
import { understood } from '../answers.ts';
import { expected } from './sources.ts';

export const readLines = {
  python: 'Read with sys.stdin.readline() and pass the line to json.loads.',
  node: 'Collect the bytes of stdin, split them at 0x0A, and pass each part to JSON.parse.',
  java: 'Read with BufferedReader.readLine() and pass the line to the mapper.',
  go: "Read with bufio.Reader.ReadBytes('\\n') or json.NewDecoder(os.Stdin).",
  any: 'Read stdin up to each newline and pass what precedes it to a JSON parser.',
};

export const crlf: ServerRule = {
  id: 'wire/crlf-is-taken',
  level: 'ADVICE',
  title: 'accept a carriage return before the newline',
  says: 'Messages are separated by newlines. A carriage return before one is whitespace of JSON; clients on Windows write it.',
  source: { of: 'standpipe' },
  fix: readLines,
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const ping = conversation.ping();
    await understood(conversation, `${JSON.stringify(ping)}\r\n`, ping.id, 'a request that ends with CR LF');
  },
};

export const anyForm: ServerRule = {
  id: 'wire/json-in-any-form',
  level: 'MUST',
  title: 'read every form of JSON',
  says: 'A message is JSON: members in any order, with whitespace between them and characters escaped, is the same message.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: readLines,
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const spaced = conversation.ping();
    const text = `\t ${JSON.stringify(spaced, undefined, ' ').replaceAll('\n', '').replaceAll('":', '" :')} `;
    await understood(conversation, `${text}\n`, spaced.id, 'a request with whitespace between its members');
    const turned = Object.fromEntries(Object.entries(conversation.ping()).reverse());
    await understood(conversation, `${JSON.stringify(turned)}\n`, turned.id, 'a request that ends with "jsonrpc"');
    const escaped = conversation.ping();
    const line = JSON.stringify(escaped).replace('"method"', '"\\u006dethod"').replace('/', '\\/');
    await understood(conversation, `${line}\n`, escaped.id, 'a request with escaped characters');
  },
};

export const blankLines: ServerRule = {
  id: 'wire/blank-lines-are-taken',
  level: 'ADVICE',
  title: 'skip blank lines',
  says: 'A blank line is not a message. A server that gets one goes on with the next line.',
  source: expected,
  fix: { any: 'Skip lines that hold nothing but whitespace before the JSON parser gets them.' },
  runs: 'once',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    conversation.probe.write('\n\n  \n\r\n');
    await conversation.barrier('blank lines');
  },
};
