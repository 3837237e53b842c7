// All rules for LiteMCP clients, in the order of the report.

import { isUtf8 } from 'node:buffer';
import { isObject } from '../../../base/json-object.ts';
import { PROTOCOL_VERSION } from '../../../litemcp/shape.ts';
import { writeUtf8 } from '../../../wire/diagnosis/advice.ts';
import { endOf, requireStdinClosed } from '../../client/client-rule-run.ts';
import { EXPECTED } from '../../client/rules/opening.ts';
import { CLOSE_STDIN, KILL, LEFT_BEHIND, READ_OUTPUT, READ_STDERR, RELEASE } from '../../client/rules/shutdown.ts';
import { litemcp } from '../../sources.ts';
import { notApplicable, violation } from '../../verdict.ts';
import { askedIn, type LiteClientRule, liteClientRows } from './lite-client-rule.ts';
import { calculator, type LiteRun } from './played-lite.ts';
import {
  crashing,
  crashingAtStart,
  extended,
  failing,
  large,
  noisy,
  OTHER_TOOL,
  plain,
  printed,
  slow,
  sparse,
  strangers,
  stubborn,
  talkative,
} from './scenarios.ts';

const endings = {
  python: 'Write process.stdin.write(json.dumps(message).encode() + b"\\n\\n\\n"), then flush().',
  node: "Write child.stdin.write(JSON.stringify(message) + '\\n\\n\\n').",
  any: 'Write each message as JSON on one line, and three newline characters after it.',
};

const requestRules = liteClientRows({ level: 'MUST', source: litemcp, scenarios: [plain] }, [
  {
    id: 'litemcp-client/opens',
    title: 'send requests',
    says: 'A client sends JSON messages of the types "get" and "call" to stdin of the server.',
    fix: `Write {"version":[1,0,0],"id":1,"type":"get","data":{}} and three newlines. ${EXPECTED} requests the tool, calls it with two numbers, closes and exits with code 0.`,
    check: ({ plain: { servers } }) => {
      if (servers.length === 0) violation('The client did not start the server.');
      if (servers.every(({ asked }) => asked.length === 0)) violation('The client sent no request.');
    },
  },
  {
    id: 'litemcp-client/asks-for-the-tool-first',
    level: 'ADVICE',
    title: 'request the tool before the first call',
    says: 'A client requests the tool with "get". The answer has the name and the parameters that a call needs.',
    source: { of: 'standpipe' },
    fix: 'Send "get", and wait for its answer before the first "call".',
    scenarios: [plain, slow],
    check: (ruleRun) => {
      if (ruleRun.calls().some(({ knowsTool }) => !knowsTool))
        violation('The client sent "call" before it had received "info".');
    },
  },
  {
    id: 'litemcp-client/three-newlines',
    title: 'end requests with three newlines',
    says: 'The server processes its input when it has received three newlines in a row.',
    fix: endings,
    check: ({ messages }) => {
      const open = messages.find(({ newlines }) => newlines < 3);
      if (open) violation(`A request was followed by ${open.newlines} newlines instead of three.`, open);
    },
  },
  {
    id: 'litemcp-client/no-three-newlines-inside',
    title: 'not write three newlines in a row inside a request',
    says: 'The server processes its input when it has received three newlines in a row, so a message contains at most two in a row.',
    fix: endings,
    check: ({ messages }) => {
      const cut = messages.find(({ bytes }) => Buffer.from(bytes).includes('\n\n\n'));
      if (cut) violation('A request contains three newlines in a row.', cut);
    },
  },
  {
    id: 'litemcp-client/only-messages',
    title: 'write only messages',
    says: 'A client writes only messages to stdin of the server: JSON objects with a version, an id and a type.',
    fix: 'Write nothing but messages to stdin of the server.',
    check: ({ servers }) => {
      for (const { frames, rest } of servers) {
        const other = frames.find(({ message }) => message === undefined);
        if (other) violation('The client wrote text that is not a message.', other);
        if (rest.length > 0) violation(`The client left a message of ${rest.length} bytes incomplete.`);
      }
    },
  },
  {
    id: 'litemcp-client/utf-8',
    title: 'write UTF-8',
    says: 'Messages are JSON, and JSON exchanged between programs is UTF-8.',
    fix: writeUtf8,
    check: ({ messages }) => {
      const other = messages.find(({ bytes }) => !isUtf8(bytes));
      if (other) violation('The client wrote bytes that are not valid UTF-8.', other);
    },
  },
  {
    id: 'litemcp-client/envelope',
    title: 'send requests with an integer id and a known type',
    says: 'Every message is an IOBasic. A request has an integer "id", the "type" "get" or "call", and as "data" an object or null.',
    fix: 'Write {"version":[1,0,0],"id":1,"type":"get","data":{}}, with the id as a number.',
    check: ({ messages }) => {
      for (const frame of messages) {
        const { id, type, data = null } = frame.message;
        if (!Number.isInteger(id)) violation(`The id of a request is ${JSON.stringify(id)}, not an integer.`, frame);
        if (type !== 'get' && type !== 'call')
          violation(`The type of a request is ${JSON.stringify(type)}, not "get" or "call".`, frame);
        if (data !== null && !isObject(data)) violation('The data of a request is not an object.', frame);
      }
    },
  },
  {
    id: 'litemcp-client/version',
    title: 'write the version of the protocol into requests',
    says: '"version" is a list of three integers in every message. The check is for LiteMCP 1.0.0.',
    fix: 'Write "version":[1,0,0] in each message.',
    check: ({ messages }) => {
      for (const frame of messages) {
        const { version: value } = frame.message;
        const isTuple = Array.isArray(value) && value.length === 3 && value.every(Number.isInteger);
        if (isTuple && value[0] === PROTOCOL_VERSION[0]) continue;
        violation(`The version of a request is ${JSON.stringify(value) ?? 'absent'}, not [1,0,0].`, frame);
      }
    },
  },
  {
    id: 'litemcp-client/ids-are-unique',
    title: 'give each request a unique id',
    says: 'The client ensures that its ids are unique. A server ignores a request whose id was used before.',
    fix: 'Increment the ids from 1.',
    check: ({ servers }) => {
      for (const { messages } of servers) {
        const ids = messages.map(({ message }) => message.id);
        const again = messages.find(({ message }, at) => ids.indexOf(message.id) < at);
        if (again) violation(`The id ${JSON.stringify(again.message.id)} was used for more than one request.`, again);
      }
    },
  },
  {
    id: 'litemcp-client/call',
    title: 'name the tool and send strings as arguments',
    says: 'The data of "call" is a ToolCall: the name of the tool, and the arguments as a list of strings, independently of the types of the parameters.',
    fix: {
      python: 'Convert each argument with str() or json.dumps().',
      node: 'Convert each argument with String() or JSON.stringify().',
      any: 'Write "data":{"version":[1,0,0],"tool":"Calculator","arguments":["2","3"]}.',
    },
    check: (ruleRun) => {
      for (const { data } of ruleRun.calls()) {
        const { tool, arguments: args = null } = data;
        if (tool !== calculator.name)
          violation(`The tool of a call is ${JSON.stringify(tool)}, not "${calculator.name}".`);
        if (args === null) continue; // litemcp-client/all-arguments reports the number
        if (!Array.isArray(args)) violation('The arguments of a call are not a list.');
        const other = args.find((arg) => typeof arg !== 'string');
        if (other !== undefined) violation(`An argument of a call is ${JSON.stringify(other)}, not a string.`);
      }
    },
  },
  {
    id: 'litemcp-client/all-arguments',
    level: 'ADVICE',
    title: 'send an argument for each parameter',
    says: 'Arguments are assigned to parameters by position, and LiteMCP has no optional parameters.',
    source: { of: 'standpipe' },
    fix: 'Send as many arguments as the tool has parameters, in their order.',
    check: (ruleRun) => {
      const { length } = calculator.parameters;
      for (const { data } of ruleRun.calls()) {
        const sent = Array.isArray(data.arguments) ? data.arguments.length : Object.keys(data.arguments ?? {}).length;
        if (sent !== length) violation(`A call has ${sent} arguments, and the tool has ${length} parameters.`);
      }
    },
  },
]);

const answerRules = liteClientRows({ level: 'ADVICE' }, [
  {
    id: 'litemcp-client/answers-over-several-lines',
    title: 'read answers of several lines',
    says: 'The specification prints its messages over several lines. A client reads JSON of any layout, even if it arrives in pieces.',
    fix: 'Collect the output of the server until three newlines in a row, and then parse it.',
    scenarios: [printed],
    check: (ruleRun) => ruleRun.goesOn('After answers over several lines'),
  },
  {
    id: 'litemcp-client/optional-fields',
    level: 'SHOULD',
    title: 'accept absent optional fields',
    says: 'Description and example of a tool and of its parameters are optional.',
    source: litemcp,
    fix: 'Treat a description or an example that is absent or null as an empty string.',
    scenarios: [sparse],
    check: (ruleRun) => ruleRun.goesOn('After a tool without description and examples'),
  },
  {
    id: 'litemcp-client/answers-are-matched-by-id',
    level: 'SHOULD',
    title: 'match answers by their id',
    says: 'An answer has the id of its request, so that answers are not confused. An answer with another id may be late, or belong to another request.',
    source: litemcp,
    fix: 'Compare the id of each answer with those of the pending requests, and skip an answer with another id.',
    scenarios: [strangers],
    check: (ruleRun) => {
      const tools = ruleRun.runs.flatMap(askedIn).map(({ data }) => data.tool);
      if (tools.includes(OTHER_TOOL)) violation('The client accepted an answer with another id.');
      ruleRun.goesOn('After answers with other ids');
    },
  },
  {
    id: 'litemcp-client/unknown-members',
    title: 'ignore unknown members',
    says: 'A later version of the protocol may add members to messages.',
    fix: 'Turn off the option of the JSON library that refuses unknown members.',
    scenarios: [extended],
    check: (ruleRun) => ruleRun.goesOn('After answers with unknown members'),
  },
  {
    id: 'litemcp-client/survives-noise',
    title: 'skip other text on stdout',
    says: 'Libraries of a server print warnings and banners. Such a line is in the same frame as the answer after it.',
    fix: 'Skip lines before the line that begins with a brace, and frames without such a line.',
    scenarios: [noisy],
    check: (ruleRun) => ruleRun.goesOn('After text that is not a message'),
  },
  {
    id: 'litemcp-client/waits-for-slow-answers',
    title: 'wait for slow answers',
    says: 'A server may take seconds to start, and a call takes as long as its tool.',
    fix: 'Wait at least 10 s for an answer.',
    scenarios: [slow],
    check: (ruleRun) => ruleRun.goesOn('After answers that took 1.5 s'),
  },
  {
    id: 'litemcp-client/large-answer',
    title: 'read large answers',
    says: 'LiteMCP does not limit the length of a message. The result of a tool may be a file.',
    fix: 'Read in blocks of any size until three newlines; do not limit the length of a line or a message.',
    scenarios: [large],
    check: (ruleRun) => ruleRun.goesOn('After an answer of 1 MiB'),
  },
  {
    id: 'litemcp-client/stderr-is-read',
    title: 'read stderr of the server, or do not pipe it',
    says: 'A server may write logs to stderr. A pipe that is not read becomes full, and then the server blocks.',
    fix: READ_STDERR,
    scenarios: [talkative],
    check: ({ servers }) => {
      if (servers.some(({ notes }) => notes.has('stderr is full')))
        violation('The client did not read stderr: a server that logs 1 MiB is blocked.');
    },
  },
  {
    id: 'litemcp-client/failed-call',
    title: 'end the server even after a failed call',
    says: 'A failed call is a result with "error" true. The server can still be used, and is stopped as usual.',
    fix: 'Read "error" of the response, and close the server in all cases.',
    scenarios: [failing],
    check: ({ runs: [run], plain: plainRun }) => {
      if (!run!.clientRun.exitStatus) violation('The client did not exit after a failed call.');
      if (closesStdin(plainRun) && !closesStdin(run!)) violation('The client did not close stdin after a failed call.');
    },
  },
  {
    id: 'litemcp-client/notices-the-end-of-the-server',
    title: 'report a server that has exited',
    says: 'A server that has exited cannot answer. The client reports the exit instead of waiting, and exits with a code other than 0.',
    fix: 'End the wait for an answer with an error when stdout of the server ends.',
    scenarios: [crashing, crashingAtStart],
    check: ({ runs }) => {
      for (const { clientRun, servers, scenario } of runs) {
        if (!servers.some(({ server }) => server.has('exits'))) notApplicable('the client did not call the tool');
        const when = scenario === crashing ? 'during a call' : 'before the answer to "get"';
        if (!clientRun.exitStatus) violation(`The server exited ${when}, and the client did not exit.`);
        if (clientRun.exitStatus.exitCode === 0)
          violation(`The server exited ${when}, and the client exited with code 0.`);
      }
    },
  },
]);

const shutdownRules = liteClientRows({ level: 'ADVICE', scenarios: [plain] }, [
  {
    id: 'litemcp-client/closes-stdin',
    title: 'end the server by closing its stdin',
    says: 'At the end of its stdin, a server finishes its work and exits. After a signal it cannot finish its work.',
    fix: CLOSE_STDIN,
    check: ({ servers }) => requireStdinClosed(servers),
  },
  {
    id: 'litemcp-client/leaves-no-server',
    title: 'not leave a server running',
    says: 'A client ends a server that does not exit at the end of its stdin with a signal, finally with SIGKILL.',
    fix: KILL,
    scenarios: [stubborn],
    check: ({ runs: [run] }) => {
      const { clientRun } = run!;
      if (clientRun.leftBehind.length > 0) violation(LEFT_BEHIND);
      if (!clientRun.exitStatus) violation(`The client waited indefinitely for the exit of the server. ${endOf(run!)}`);
    },
  },
  {
    id: 'litemcp-client/exits',
    title: 'exit when the work is done',
    says: 'A stopped server does not keep the program running.',
    fix: RELEASE,
    check: ({ plain: { clientRun } }) => {
      if (!clientRun.exitStatus) violation('The client did not exit.');
    },
  },
  {
    id: 'litemcp-client/exit-code',
    title: 'exit with code 0 after calls without errors',
    says: 'The exit code tells scripts and CI systems whether a program has succeeded.',
    fix: READ_OUTPUT,
    check: ({ plain: run }) => {
      if (!run.clientRun.exitStatus) notApplicable('the client did not exit (litemcp-client/exits)');
      if (run.clientRun.exitStatus.exitCode !== 0) violation(endOf(run));
    },
  },
]);

export const liteClientRules: readonly LiteClientRule[] = [...requestRules, ...answerRules, ...shutdownRules];

function closesStdin({ servers }: LiteRun): boolean {
  return servers.every(({ server }) => server.has('stdin ended'));
}
