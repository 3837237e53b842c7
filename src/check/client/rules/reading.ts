// What a client must be able to read.

import { before, type Source } from '../../rule.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import { type ClientRuleRun, endOf } from '../client-rule-run.ts';
import { SPLIT_CURSOR, STDERR_TAKEN } from '../scenarios/disturbances.ts';
import { bytes, noise, slow } from '../scenarios/index.ts';

const stdio: Source = { of: 'mcp', page: 'basic/transports#stdio', pages: { '2026-07-28': 'basic/transports/stdio' } };
const expected: Source = { of: 'standpipe' };

export const takesNoise: ClientRule = {
  id: 'client-wire/survives-noise',
  level: 'ADVICE',
  title: 'skip text on stdout that is not a message',
  says: 'Many servers, or the programs that start them, print a line to stdout. The client skips it and may report it.',
  source: expected,
  fix: { any: 'Skip lines that are not JSON objects, and log them.' },
  scenarios: [noise],
  check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After lines on stdout that are no messages'),
};

export const takesLineEnds: ClientRule = {
  id: 'client-wire/line-ends',
  level: 'ADVICE',
  title: 'accept CRLF and blank lines',
  says: 'Servers on Windows often end lines with CRLF. A carriage return is white space in JSON, and a blank line is not a message.',
  source: expected,
  fix: { any: 'Remove a carriage return at the end of a line, and skip blank lines.' },
  scenarios: [bytes],
  check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After a line that ends with CRLF and blank lines'),
};

export const readsPieces: ClientRule = {
  id: 'client-wire/reads-pieces',
  level: 'SHOULD',
  title: 'read a message that arrives in pieces',
  says: 'The newline delimits messages, not a read of the pipe: a read may end inside a character, and may contain several messages.',
  source: stdio,
  fix: {
    node: "Call stdout.setEncoding('utf8'), or collect Buffers up to a newline before they are decoded.",
    python: 'Read lines in binary mode and decode each line.',
    any: 'Collect bytes up to a newline, and decode only whole lines.',
  },
  scenarios: [bytes],
  check: (ruleRun) => {
    ruleRun.goesOnAfter('tools/list', 'After an answer that was written in pieces');
    const back = ruleRun.asked('tools/list').find(({ params }) => params.cursor !== undefined)?.params.cursor;
    if (back !== undefined && back !== SPLIT_CURSOR) {
      violation(
        `The client read ${JSON.stringify(back)} where the server wrote ${JSON.stringify(SPLIT_CURSOR)} in pieces.`,
      );
    }
  },
};

export const readsLargeMessages: ClientRule = {
  id: 'client-wire/large-message',
  level: 'ADVICE',
  title: 'read large results',
  says: 'Results contain files and images. The specification has no limit for the size of a message.',
  source: expected,
  fix: {
    python: 'Raise limit= of asyncio.create_subprocess_exec: a StreamReader refuses lines of more than 64 KiB.',
    go: 'Use bufio.Reader, or Buffer() of bufio.Scanner: its default limit is 64 KiB.',
    any: 'Read lines of any length, or with a limit far above the size of an image.',
  },
  scenarios: [bytes],
  check: (ruleRun) => ruleRun.goesOnAfter('tools/call', 'After a large result', 'exits alike'),
};

export const takesSlowStart: ClientRule = {
  id: 'client-lifecycle/waits-for-a-slow-server',
  level: 'ADVICE',
  title: 'wait for a server that starts slowly',
  says: 'Servers are often downloaded, or start a virtual machine, before they answer.',
  source: expected,
  fix: { any: 'Wait for the first answer for at least 30 seconds.' },
  scenarios: [slow],
  check: (ruleRun) => ruleRun.goesOnAfter('initialize', 'After a first answer that took 1.5 s'),
};

export const readsStderr: ClientRule = {
  id: 'client-wire/reads-stderr',
  level: 'ADVICE',
  title: 'read stderr of the server, or do not pipe it',
  says: 'A server may log to stderr. A pipe that is not read becomes full, and then the server stops.',
  source: expected,
  fix: {
    node: "Use stdio: ['pipe', 'pipe', 'inherit'], or read child.stderr.",
    python: 'Leave stderr=None, or read it in a task of its own. With stderr=PIPE it must be read.',
    java: 'Use ProcessBuilder.Redirect.INHERIT, or read the error stream in a thread of its own.',
    any: 'Let the server inherit stderr, or read it all the time.',
  },
  scenarios: [slow],
  check: (ruleRun) => {
    if (stderrTaken(ruleRun).every((taken) => taken)) return;
    const run = ruleRun.run();
    if (run.clientRun.exitStatus && endOf(run) !== endOf(ruleRun.plain))
      notApplicable('the client exited before (client-wire/stderr-is-not-an-error)');
    violation('The client did not read stderr: a server that logs 1 MiB is blocked.');
  },
};

export const stderrIsNoError: ClientRule = {
  id: 'client-wire/stderr-is-not-an-error',
  level: 'SHOULD',
  levels: before('2025-11-25', 'ADVICE'),
  title: 'not take stderr for an error',
  says: 'A server may log to stderr. The client may forward, keep or ignore it, and does not take it for an error.',
  source: stdio,
  fix: {
    any: 'Show or keep stderr of the server. Take only answers with `error`, and the exit of the server, for errors.',
  },
  scenarios: [slow],
  check: (ruleRun) => {
    stderrTaken(ruleRun);
    if (!ruleRun.run().clientRun.exitStatus) notApplicable('the client did not exit (client-wire/reads-stderr)');
    ruleRun.goesOnAfter('tools/list', 'After 1 MiB on stderr', 'exits alike');
  },
};

/** For each server that wrote to stderr: whether the client read all of it. */
function stderrTaken({ servers }: ClientRuleRun): unknown[] {
  const taken = servers.map(({ notes }) => notes.get(STDERR_TAKEN)).filter((each) => each !== undefined);
  return taken.length > 0 ? taken : notApplicable('the client did not get to `tools/list` (other rules say why)');
}

export const readingRules = [
  takesSlowStart,
  readsPieces,
  readsLargeMessages,
  readsStderr,
  stderrIsNoError,
  takesNoise,
  takesLineEnds,
];
