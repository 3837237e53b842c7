// Rules about the members of requests.

import { isObject } from '../../../../base/json-object.ts';
import { PROTOCOL_VERSION } from '../../../../litemcp/version.ts';
import { violation } from '../../../verdict.ts';
import type { LiteClientRule } from '../lite-client-rule.ts';
import { calculator } from '../played-lite.ts';
import { plain } from '../scenarios.ts';

export const envelope: LiteClientRule = {
  id: 'litemcp-client/envelope',
  level: 'MUST',
  title: 'send requests with an integer id and a known type',
  says: 'Every message is an IOBasic. A request has an integer "id", the "type" "get" or "call", and as "data" an object or null.',
  source: { of: 'litemcp' },
  fix: { any: 'Write {"version":[1,0,0],"id":1,"type":"get","data":{}}, with the id as a number.' },
  scenarios: [plain],
  check: ({ messages }) => {
    for (const frame of messages) {
      const { id, type, data = null } = frame.message;
      if (!Number.isInteger(id)) violation(`The id of a request is ${JSON.stringify(id)}, not an integer.`, frame);
      if (type !== 'get' && type !== 'call') violation(`A request has the type ${JSON.stringify(type)}.`, frame);
      if (data !== null && !isObject(data)) violation('The data of a request is not an object.', frame);
    }
  },
};

export const version: LiteClientRule = {
  id: 'litemcp-client/version',
  level: 'MUST',
  title: 'write the version of the protocol into requests',
  says: '"version" is a list of three integers in every message. This is LiteMCP 1.0.0.',
  source: { of: 'litemcp' },
  fix: { any: 'Write "version":[1,0,0] in each message.' },
  scenarios: [plain],
  check: ({ messages }) => {
    for (const frame of messages) {
      const { version: value } = frame.message;
      const isTuple = Array.isArray(value) && value.length === 3 && value.every(Number.isInteger);
      if (isTuple && value[0] === PROTOCOL_VERSION[0]) continue;
      violation(`The version of a request is ${JSON.stringify(value) ?? 'absent'}, not [1,0,0].`, frame);
    }
  },
};

export const uniqueIds: LiteClientRule = {
  id: 'litemcp-client/ids-are-unique',
  level: 'MUST',
  title: 'give each request its own id',
  says: 'The client makes sure that its ids are unique. A server ignores a request whose id was used before.',
  source: { of: 'litemcp' },
  fix: { any: 'Count the ids up from 1.' },
  scenarios: [plain],
  check: ({ servers }) => {
    for (const { messages } of servers) {
      const ids = messages.map(({ message }) => message.id);
      const again = messages.find(({ message }, at) => ids.indexOf(message.id) < at);
      if (again) violation(`The id ${JSON.stringify(again.message.id)} was used before.`, again);
    }
  },
};

export const toolCall: LiteClientRule = {
  id: 'litemcp-client/call',
  level: 'MUST',
  title: 'name the tool and send strings as arguments',
  says: 'The data of "call" is a ToolCall: the name of the tool, and the arguments as a list of strings, whatever the types of the parameters are.',
  source: { of: 'litemcp' },
  fix: {
    python: 'Convert each argument with str() or json.dumps().',
    node: 'Convert each argument with String() or JSON.stringify().',
    any: 'Write "data":{"version":[1,0,0],"tool":"Calculator","arguments":["2","3"]}.',
  },
  scenarios: [plain],
  check: (ruleRun) => {
    for (const { data } of ruleRun.calls()) {
      const { tool, arguments: args = null } = data;
      if (tool !== calculator.name) violation(`A call has ${JSON.stringify(tool)} as tool, not the name of the tool.`);
      if (args === null) continue; // another rule reports the number
      if (!Array.isArray(args)) violation('The arguments of a call are not a list.');
      const other = args.find((arg) => typeof arg !== 'string');
      if (other !== undefined) violation(`An argument of a call is ${JSON.stringify(other)}, not a string.`);
    }
  },
};

export const allArguments: LiteClientRule = {
  id: 'litemcp-client/all-arguments',
  level: 'ADVICE',
  title: 'send an argument for each parameter',
  says: 'Arguments belong to parameters by their position, and LiteMCP has no optional parameters.',
  source: { of: 'standpipe' },
  fix: { any: 'Send as many arguments as the tool has parameters, in their order.' },
  scenarios: [plain],
  check: (ruleRun) => {
    const { length } = calculator.parameters;
    for (const { data } of ruleRun.calls()) {
      const sent = Array.isArray(data.arguments) ? data.arguments.length : Object.keys(data.arguments ?? {}).length;
      if (sent !== length) violation(`A call has ${sent} arguments, and the tool has ${length} parameters.`);
    }
  },
};

export const requestRules = [envelope, version, uniqueIds, toolCall, allArguments];
