// Capabilities: what is there is declared.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { exchange, listIn, proofOf } from './exchange.ts';

export const capabilitiesAreDeclared: ServerRule = {
  id: 'methods/capabilities-are-declared',
  level: 'MUST',
  title: 'declare tools, resources and prompts that it has',
  says: 'A server that supports tools, resources or prompts declares the capability. Clients do not ask for lists that are not declared.',
  source: { of: 'mcp', page: 'server/tools#capabilities' },
  fix: { any: 'Declare the capability in the answer to `initialize` or `server/discover`.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    const { capabilities } = ruleRun.facts;
    const undeclared = (['tools', 'resources', 'prompts'] as const).filter((each) => !capabilities[each]);
    if (undeclared.length === 0) return;
    for (const member of undeclared) {
      const made = await exchange(ruleRun, `${member}/list`, {});
      if (listIn(made.result, member).length === 0) continue;
      violation(`The server has ${member} and does not declare the capability.`, ...proofOf(made));
    }
  },
};

export const changesAreDeclared: ServerRule = {
  id: 'methods/list-changes-are-declared',
  level: 'SHOULD',
  title: 'declare the list changes that it sends',
  says: 'A server that sends `list_changed` declares `listChanged: true` in the capability of this list.',
  source: { of: 'mcp', page: 'basic/lifecycle#operation' },
  fix: { any: 'Declare `"listChanged": true`, or do not send the notification.' },
  until: '2025-11-25',
  runs: 'each revision',
  uses: 'seen',
  check: ({ seen, facts }) => {
    let any = false;
    for (const frame of seen.flatMap(({ frames }) => frames)) {
      for (const { method } of messagesOf(frame)) {
        const { capability: member, filter } = methodsOfMcp.get(method as string) ?? {};
        if (!member || !filter?.endsWith('ListChanged')) continue;
        any = true;
        const capability = (facts.capabilities as JsonObject)[member];
        if (isObject(capability) && capability.listChanged === true) continue;
        violation(`The server sent \`${method}\` and does not declare \`${member}.listChanged\`.`, frame);
      }
    }
    if (!any) notApplicable('the server sent no change of a list');
  },
};
