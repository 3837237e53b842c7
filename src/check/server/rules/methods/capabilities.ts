// Capabilities: what is declared is there, and what is there is declared.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { METHOD_NOT_FOUND } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import { messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { exchange, proofOf } from './exchange.ts';
import { listIn } from './shape.ts';

interface Probing {
  method: string;
  params: JsonObject;
}

const uri = 'standpipe-unknown://no/such/resource';
const name = 'standpipe_no_such_name';

export const declaredMethodsExist: ServerRule = {
  id: 'methods/declared-methods-exist',
  level: 'MUST',
  title: 'the methods of declared capabilities exist',
  says: 'A server that declares a capability has its methods: calls of tools, reads of resources, prompts, completions, log levels, subscriptions.',
  source: {
    of: 'mcp',
    page: 'basic/lifecycle#operation',
    pages: { '2026-07-28': 'basic/versioning#capability-negotiation' },
  },
  fix: { any: 'Declare a capability only if all its methods have a handler.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (trial) => {
    const declared = methodsOf(trial.facts, trial.era === 'legacy');
    if (declared.length === 0) notApplicable('the server declares no capabilities');
    for (const { method, params } of declared) {
      const made = await exchange(trial, method, params);
      if (made.failure) violation(made.failure, made.sent);
      if (made.error?.code !== METHOD_NOT_FOUND) continue;
      violation(`The capability of \`${method}\` is declared, and the method is not found.`, ...proofOf(made));
    }
  },
};

function methodsOf({ capabilities, resources }: Facts, isLegacy: boolean): Probing[] {
  const known = resources.find((each) => typeof each.uri === 'string')?.uri;
  const complete = { ref: { type: 'ref/prompt', name }, argument: { name: 'name', value: '' } };
  return [
    ...(capabilities.tools ? [{ method: 'tools/call', params: { name, arguments: {} } }] : []),
    ...(capabilities.resources ? [{ method: 'resources/read', params: { uri } }] : []),
    ...(capabilities.prompts ? [{ method: 'prompts/get', params: { name } }] : []),
    ...(capabilities.completions ? [{ method: 'completion/complete', params: complete }] : []),
    ...(isLegacy && capabilities.logging ? [{ method: 'logging/setLevel', params: { level: 'debug' } }] : []),
    ...(isLegacy && capabilities.resources?.subscribe && known !== undefined
      ? ['resources/subscribe', 'resources/unsubscribe'].map((method) => ({ method, params: { uri: known } }))
      : []),
  ];
}

export const capabilitiesAreDeclared: ServerRule = {
  id: 'methods/capabilities-are-declared',
  level: 'MUST',
  title: 'tools, resources and prompts are declared',
  says: 'A server that supports tools, resources or prompts declares the capability. Clients do not ask for lists that are not declared.',
  source: { of: 'mcp', page: 'server/tools#capabilities' },
  fix: { any: 'Declare the capability in the answer to `initialize` or `server/discover`.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (trial) => {
    const { capabilities } = trial.facts;
    const undeclared = (['tools', 'resources', 'prompts'] as const).filter((each) => !capabilities[each]);
    if (undeclared.length === 0) return;
    for (const member of undeclared) {
      const made = await exchange(trial, `${member}/list`, {});
      if (listIn(made.result, member).length === 0) continue;
      violation(`The server has ${member} and does not declare the capability.`, ...proofOf(made));
    }
  },
};

const changes = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
} as const;

export const changesAreDeclared: ServerRule = {
  id: 'methods/list-changes-are-declared',
  level: 'SHOULD',
  title: 'changes of lists are sent only where declared',
  says: 'A server that sends `list_changed` declares `listChanged: true` in the capability of this list.',
  source: { of: 'mcp', page: 'server/tools#list-changed-notification' },
  fix: { any: 'Declare `"listChanged": true`, or do not send the notification.' },
  until: '2025-11-25',
  runs: 'each revision',
  uses: 'seen',
  check: ({ seen, facts }) => {
    let any = false;
    for (const frame of seen.flatMap(({ frames }) => frames)) {
      for (const { method } of messagesOf(frame)) {
        const member = changes[method as keyof typeof changes];
        if (!member) continue;
        any = true;
        const capability = facts.capabilities[member];
        if (isObject(capability) && capability.listChanged === true) continue;
        violation(`The server sent \`${method}\` and does not declare \`${member}.listChanged\`.`, frame);
      }
    }
    if (!any) notApplicable('the server sent no change of a list');
  },
};
