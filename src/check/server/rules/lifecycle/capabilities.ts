// Rules about capabilities: declared ones work, and others are not used.

import { RpcCode } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { methodsOfMcp, questionMethods } from '../../../../mcp/methods.ts';
import { parsed } from '../../../parsed-json.ts';
import { before } from '../../../rule.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import { messagesOf, type Probe } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';

interface Offer {
  capability: string;
  isDeclared: boolean;
  method: string;
  params?: JsonObject;
}

export const capabilityRules = serverRows({ runs: 'each era', uses: 'own' }, [
  {
    id: 'lifecycle/declared-capabilities-work',
    level: 'MUST',
    levels: before('2026-07-28', 'ADVICE'),
    title: 'implement the methods of its declared capabilities',
    says: 'Capabilities declare the features of a server. Their methods are not answered with -32601, and their lists are not answered with an error.',
    source: mcp('basic/lifecycle#capability-negotiation', { '2026-07-28': 'server/tools#capabilities' }),
    fix: 'Declare a capability only if its methods are implemented, such as tools/list for tools and logging/setLevel for logging.',
    check: async (ruleRun) => {
      const declared = offersOf(ruleRun.facts).filter(
        ({ isDeclared, capability, method }) =>
          isDeclared && capability !== 'tasks' && (ruleRun.era === 'legacy' || method.endsWith('/list')),
      );
      if (declared.length === 0) notApplicable('the server does not declare a capability');
      const conversation = await ruleRun.open();
      for (const { capability, method, params } of declared) {
        const { error, frame } = await conversation.request(method, params);
        if (!error) continue;
        const what = `The server declares \`${capability}\``;
        if (error.code === RpcCode.methodNotFound) violation(`${what} and does not know \`${method}\`.`, frame);
        // A server may refuse the params of other methods.
        if (method.endsWith('/list'))
          violation(`${what} and answers \`${method}\` with the error ${describeError(error)}.`, frame);
      }
    },
  },
  {
    id: 'lifecycle/undeclared-capabilities-are-refused',
    level: 'ADVICE',
    title: 'refuse the methods of undeclared capabilities',
    says: 'Only negotiated capabilities are used. A method of another capability is answered with an error, usually -32601.',
    fix: 'Declare the capability, or answer its methods with the error -32601.',
    check: async (ruleRun) => {
      const missing = offersOf(ruleRun.facts).filter(({ isDeclared }) => !isDeclared);
      if (missing.length === 0) notApplicable('the server declares all capabilities');
      const conversation = await ruleRun.openLasting();
      for (const { capability, method, params } of missing) {
        const { result, frame } = await conversation.request(method, params);
        if (result)
          violation(`The server does not declare \`${capability}\` but answers \`${method}\` with a result.`, frame);
      }
    },
  },
  {
    id: 'lifecycle/client-capabilities-are-respected',
    level: 'MUST',
    levels: before('2025-06-18', 'SHOULD'),
    title: 'send only requests whose capability the client has declared',
    says: 'Both sides use only negotiated capabilities: sampling, elicitation and roots require the capability of the client.',
    source: mcp('basic/lifecycle#operation'),
    fix: 'Read `capabilities` of `initialize` before you send a request to the client, and continue without the request if the capability is missing.',
    until: '2025-11-25',
    runs: 'each revision',
    uses: 'seen',
    check: ({ seen }) => {
      for (const probe of seen) {
        const declared = declaredTo(probe);
        for (const frame of probe.frames) {
          for (const { id, method } of messagesOf(frame)) {
            if (id === undefined || typeof method !== 'string' || !questionMethods.includes(method)) continue;
            const capability = methodsOfMcp.get(method)!.capability!;
            if (declared.has(capability)) continue;
            violation(`The server sent \`${method}\` to a client without the capability \`${capability}\`.`, frame);
          }
        }
      }
    },
  },
]);

/** One method of each capability of the revision. These methods have no effect beyond the connection. */
function offersOf({ capabilities, revision, resources }: Facts): Offer[] {
  const isLegacy = revision < '2026-07-28';
  const uri = resources[0]?.uri;
  const offer = (capability: string, method: string, params?: JsonObject, when = true): Offer[] =>
    when
      ? [{ capability, isDeclared: !!(capabilities as JsonObject)[capability], method, ...(params && { params }) }]
      : [];
  const ref = { type: 'ref/prompt', name: 'standpipe-unknown' };
  const canSubscribe = isLegacy && capabilities.resources?.subscribe === true && typeof uri === 'string';
  return [
    ...offer('tools', 'tools/list'),
    ...offer('resources', 'resources/list'),
    ...offer('prompts', 'prompts/list'),
    ...offer('logging', 'logging/setLevel', { level: 'error' }, isLegacy),
    ...offer(
      'completions',
      'completion/complete',
      { ref, argument: { name: 'x', value: '' } },
      revision >= '2025-03-26',
    ),
    ...offer('resources.subscribe', 'resources/subscribe', { uri }, canSubscribe).map((each) => ({
      ...each,
      isDeclared: true,
    })),
    ...offer('tasks', 'tasks/list', undefined, revision === '2025-11-25').map((each) => ({
      ...each,
      isDeclared: 'tasks' in capabilities,
    })),
  ];
}

/** All capabilities that clients of the process declared. */
function declaredTo({ transcript }: Probe): Set<string> {
  const declared = new Set<string>();
  for (const { bytes } of transcript.entries.filter(({ kind }) => kind === 'sent')) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!text.includes('"initialize"')) continue;
    const message = parsed(text.toString());
    const params = isObject(message) && isObject(message.params) ? message.params : {};
    for (const name of Object.keys(isObject(params.capabilities) ? params.capabilities : {})) declared.add(name);
  }
  return declared;
}
