// Rules about the lines, messages and ids that a client writes, and about output of the server that it must be able to read.

import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, jsonKind } from '../../../base/json-object.ts';
import { NEWEST_LEGACY } from '../../../mcp/revisions.ts';
import { writeOneLine, writeUtf8 } from '../../../wire/diagnosis/advice.ts';
import { before } from '../../rule.ts';
import { isAnswer, messagesOf } from '../../server/probe.ts';
import { mcp, stdio } from '../../sources.ts';
import { notApplicable, violation } from '../../verdict.ts';
import { type ClientRuleRun, clientRows, endOf, notReached } from '../client-rule-run.ts';
import { bytes, noise, OLDER_REVISION, older, plain, SPLIT_CURSOR, STDERR_TAKEN, slow } from '../scenarios.ts';
import { READ_STDERR } from './shutdown.ts';

const requests = mcp('basic/index#requests', { '2024-11-05': 'basic/messages#requests' });

const writingRules = clientRows({ level: 'MUST', source: stdio, scenarios: [plain] }, [
  {
    id: 'client-wire/only-messages',
    title: 'write only messages to stdin of the server',
    says: 'A client writes nothing to stdin of the server that is not a valid message. A message does not contain a newline.',
    fix: writeOneLine,
    check: ({ servers }) => {
      for (const { frames } of servers) {
        const other = frames.find(({ json }) => !isObject(json) && !Array.isArray(json));
        if (!other) continue;
        const what = other.bytes.length === 0 ? 'a blank line' : 'a line that is not a JSON object';
        violation(`The client wrote ${what}.`, other);
      }
    },
  },
  {
    id: 'client-wire/ends-lines',
    level: 'ADVICE',
    title: 'end each message with a newline',
    says: 'Messages are delimited by newlines. A server reads a message when its newline has arrived.',
    fix: 'Write a newline after each message, including the last one.',
    check: ({ servers }) => {
      for (const { rest, server } of servers) {
        if (rest.length === 0 || !server.has('stdin ended')) continue;
        violation(`The last ${rest.length} bytes do not end with a newline.`, { kind: 'received', bytes: rest });
      }
    },
  },
  {
    id: 'client-wire/utf-8',
    title: 'write UTF-8',
    says: 'Messages are encoded in UTF-8.',
    source: mcp('basic/transports', { '2026-07-28': 'basic/transports#messages' }),
    fix: writeUtf8,
    since: '2025-03-26',
    check: ({ servers }) => {
      for (const { frames } of servers) {
        const other = frames.find((frame) => !isUtf8(frame.bytes));
        if (other) violation('The client wrote bytes that are not valid UTF-8.', other);
      }
    },
  },
  {
    id: 'client-wire/no-batches',
    title: 'not send batches',
    says: 'Each line is one request, notification or response. Only 2025-03-26 has batches.',
    fix: 'Write each message on a separate line, not an array of messages.',
    check: ({ servers }) => {
      for (const { frames, asked } of servers) {
        if (asked.some(({ params }) => params.protocolVersion === OLDER_REVISION))
          notApplicable(`${OLDER_REVISION} has batches`);
        const batch = frames.find(({ json }) => Array.isArray(json));
        if (batch) violation('The client sent an array of messages.', batch);
      }
    },
  },
  {
    id: 'client-wire/json-rpc',
    title: 'send messages in the form of JSON-RPC 2.0',
    says: 'A message has `jsonrpc` "2.0", and either a `method` with optional `params`, an object, or the `result` or the `error` of a request. A notification has no `id`.',
    source: mcp('basic/index#messages', { '2024-11-05': 'basic/messages' }),
    fix: 'Send {"jsonrpc":"2.0","id":…,"method":…,"params":{…}}, and messages whose method begins with `notifications/` without `id`.',
    check: ({ servers }) => {
      for (const frame of servers.flatMap(({ frames }) => frames)) {
        for (const message of messagesOf(frame)) {
          const fault = faultOf(message);
          if (fault) violation(`A message from the client has ${fault}.`, frame);
        }
      }
    },
  },
  {
    id: 'client-wire/id-types',
    title: 'use strings or integers as ids',
    says: 'The id of a request is a string or an integer, not null.',
    source: requests,
    fix: 'Increment an integer for each request.',
    check: ({ servers }) => {
      for (const frame of servers.flatMap(({ frames }) => frames)) {
        for (const { id, method } of messagesOf(frame)) {
          if (method === undefined || id === undefined || typeof id === 'string' || Number.isInteger(id)) continue;
          violation(`The id of \`${String(method)}\` is ${JSON.stringify(id)}, not a string or an integer.`, frame);
        }
      }
    },
  },
  {
    id: 'client-wire/unique-ids',
    title: 'not use an id twice in a session',
    says: 'A client uses an id for only one request of a session.',
    source: requests,
    fix: 'Increment an integer for each request.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: ({ servers }) => {
      for (const { session } of servers) {
        const ids = session.map(({ id }) => JSON.stringify(id));
        const again = ids.find((id, at) => ids.indexOf(id) !== at);
        if (again !== undefined) violation(`The id ${again} was used for more than one request.`);
      }
    },
  },
]);

const readingRules = clientRows({ level: 'ADVICE' }, [
  {
    id: 'client-lifecycle/waits-for-a-slow-server',
    title: 'wait for a server that starts slowly',
    says: 'Many servers are downloaded, or start a virtual machine, before they answer.',
    fix: 'Wait at least 30 seconds for the first answer.',
    scenarios: [slow],
    check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After a first answer that took 1.5 s'),
  },
  {
    id: 'client-wire/reads-pieces',
    level: 'SHOULD',
    title: 'read a message that arrives in pieces',
    says: 'Messages are delimited by newlines, not by reads of the pipe: a read may end inside a character, and may contain several messages.',
    source: stdio,
    fix: {
      node: "Call stdout.setEncoding('utf8'), or collect Buffers up to a newline before you decode them.",
      python: 'Read lines in binary mode and decode each line.',
      any: 'Collect bytes up to a newline, and decode only whole lines.',
    },
    scenarios: [bytes],
    check: (ruleRun) => {
      ruleRun.goesOnAfter('tools/list', 'After an answer that was written in pieces');
      const back = ruleRun.asked('tools/list').find(({ params }) => params.cursor !== undefined)?.params.cursor;
      if (back === undefined || back === SPLIT_CURSOR) return;
      violation(
        `The client read ${JSON.stringify(back)} where the server wrote ${JSON.stringify(SPLIT_CURSOR)} in pieces.`,
      );
    },
  },
  {
    id: 'client-wire/large-message',
    title: 'read large results',
    says: 'Results contain files and images. The specification does not limit the size of a message.',
    fix: {
      python: 'Raise limit= of asyncio.create_subprocess_exec: a StreamReader refuses lines of more than 64 KiB.',
      go: 'Use bufio.Reader, or Buffer() of bufio.Scanner: its default limit is 64 KiB.',
      any: 'Read lines of any length, or set a limit far above the size of an image.',
    },
    scenarios: [bytes],
    check: (ruleRun) => ruleRun.goesOnAfter('tools/call', 'After a result of 4 MiB', 'exits alike'),
  },
  {
    id: 'client-wire/reads-stderr',
    title: 'read stderr of the server, or do not pipe it',
    says: 'A server may log to stderr. A pipe that is not read becomes full, and then the server blocks.',
    fix: READ_STDERR,
    scenarios: [slow],
    check: (ruleRun) => {
      if (stderrTaken(ruleRun).every((taken) => taken)) return;
      const run = ruleRun.run();
      if (run.clientRun.exitStatus && endOf(run) !== endOf(ruleRun.plain))
        notApplicable('the client exited before (client-wire/stderr-is-not-an-error)');
      violation('The client did not read stderr: a server that logs 1 MiB is blocked.');
    },
  },
  {
    id: 'client-wire/stderr-is-not-an-error',
    level: 'SHOULD',
    levels: before('2025-11-25', 'ADVICE'),
    title: 'not treat output on stderr as an error',
    says: 'A server may log to stderr. The client may forward, keep or ignore the output, but does not treat it as an error.',
    source: stdio,
    fix: 'Show or keep stderr of the server. Treat only answers with `error` and the exit of the server as errors.',
    scenarios: [slow],
    check: (ruleRun) => {
      stderrTaken(ruleRun);
      if (!ruleRun.run().clientRun.exitStatus) notApplicable('the client did not exit (client-wire/reads-stderr)');
      ruleRun.goesOnAfter('tools/list', 'After 1 MiB on stderr', 'exits alike');
    },
  },
  {
    id: 'client-wire/survives-noise',
    title: 'skip text on stdout that is not a message',
    says: 'Many servers, or the programs that start them, print a line to stdout. The client skips it and may report it.',
    fix: 'Skip lines that are not JSON objects, and log them.',
    scenarios: [noise],
    check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After lines on stdout that are not messages'),
  },
  {
    id: 'client-wire/line-ends',
    title: 'accept CRLF and blank lines',
    says: 'Servers on Windows often end lines with CRLF. A carriage return is whitespace in JSON, and a blank line is not a message.',
    fix: 'Remove a carriage return at the end of a line, and skip blank lines.',
    scenarios: [bytes],
    check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After a line that ends with CRLF and blank lines'),
  },
]);

export const messageRules = [...writingRules, ...readingRules];

function faultOf(message: JsonObject): string | undefined {
  if (message.jsonrpc !== '2.0')
    return message.jsonrpc === undefined ? 'no `jsonrpc`' : `\`jsonrpc\` ${JSON.stringify(message.jsonrpc)}`;
  if (isAnswer(message)) return undefined;
  if (typeof message.method !== 'string') return 'neither a method nor a result nor an error';
  if ('id' in message && message.method.startsWith('notifications/')) {
    return `an \`id\` and is the notification \`${message.method}\``;
  }
  const { params } = message;
  return params === undefined || isObject(params) ? undefined : `\`params\` that is ${jsonKind(params)}`;
}

/** Whether the client read all of stderr, for each server that wrote to it. */
function stderrTaken({ servers }: ClientRuleRun): unknown[] {
  const taken = servers.map(({ notes }) => notes.get(STDERR_TAKEN)).filter((each) => each !== undefined);
  return taken.length > 0 ? taken : notApplicable(notReached('tools/list'));
}
