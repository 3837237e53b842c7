// Capabilities say what there is: what is declared works, and nothing else is used.

import { RpcCode } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { methodsOfMcp, questionMethods } from '../../../../mcp/methods.ts';
import { before } from '../../../rule.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import { messagesOf, type Probe } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';

interface Offer {
  capability: string;
  isDeclared: boolean;
  method: string;
  params?: JsonObject;
}

/** A method of each capability of the revision. None of them changes more than the connection. */
function offersOf({ capabilities, revision, resources }: Facts): Offer[] {
  const { tools, prompts, logging, completions } = capabilities;
  const ref = { type: 'ref/prompt', name: 'standpipe-unknown' };
  const uri = resources[0]?.uri;
  const isLegacy = revision < '2026-07-28';
  return [
    { capability: 'tools', isDeclared: !!tools, method: 'tools/list' },
    { capability: 'resources', isDeclared: !!capabilities.resources, method: 'resources/list' },
    { capability: 'prompts', isDeclared: !!prompts, method: 'prompts/list' },
    ...when(isLegacy, {
      capability: 'logging',
      isDeclared: !!logging,
      method: 'logging/setLevel',
      params: { level: 'error' },
    }),
    ...when(revision >= '2025-03-26', {
      capability: 'completions',
      isDeclared: !!completions,
      method: 'completion/complete',
      params: { ref, argument: { name: 'x', value: '' } },
    }),
    ...when(isLegacy && capabilities.resources?.subscribe === true && typeof uri === 'string', {
      capability: 'resources.subscribe',
      isDeclared: true,
      method: 'resources/subscribe',
      params: { uri },
    }),
    ...when(revision === '2025-11-25', {
      capability: 'tasks',
      isDeclared: 'tasks' in capabilities,
      method: 'tasks/list',
    }),
  ];
}

function when(isSo: boolean, offer: Offer): Offer[] {
  return isSo ? [offer] : [];
}

export const declaredWorks: ServerRule = {
  id: 'lifecycle/declared-capabilities-work',
  level: 'MUST',
  levels: before('2026-07-28', 'ADVICE'),
  title: 'implement the methods of its declared capabilities',
  says: 'Capabilities say which features a server has. Its methods are not answered with -32601, and its lists not with an error.',
  source: {
    of: 'mcp',
    page: 'basic/lifecycle#capability-negotiation',
    pages: { '2026-07-28': 'server/tools#capabilities' },
  },
  fix: {
    any: 'Declare a capability only if its methods are implemented: tools/list for tools, logging/setLevel for logging, and so on.',
  },
  runs: 'each era',
  uses: 'own',
  check: async (ruleRun) => {
    const declared = offersOf(ruleRun.facts).filter(
      ({ isDeclared, capability, method }) =>
        isDeclared && capability !== 'tasks' && (ruleRun.era === 'legacy' || method.endsWith('/list')),
    );
    if (declared.length === 0) notApplicable('the server declares no capability');
    const conversation = await ruleRun.open();
    for (const { capability, method, params } of declared) {
      const { error, frame } = await conversation.request(method, params);
      if (!error) continue;
      if (error.code === RpcCode.methodNotFound) {
        violation(`The server declares \`${capability}\` and does not know \`${method}\`.`, frame);
      }
      // The other methods have params that a server may refuse.
      if (method.endsWith('/list')) {
        violation(
          `The server declares \`${capability}\` and answers \`${method}\` with the error ${describeError(error)}.`,
          frame,
        );
      }
    }
  },
};

export const undeclaredRefused: ServerRule = {
  id: 'lifecycle/undeclared-capabilities-are-refused',
  level: 'ADVICE',
  title: 'refuse the methods of undeclared capabilities',
  says: 'Only capabilities that were negotiated are used. A method of another one is answered with an error, usually -32601.',
  source: { of: 'standpipe' },
  fix: { any: 'Declare the capability, or answer its methods with the error -32601.' },
  runs: 'each era',
  uses: 'own',
  check: async (ruleRun) => {
    const missing = offersOf(ruleRun.facts).filter(({ isDeclared }) => !isDeclared);
    if (missing.length === 0) notApplicable('the server declares all capabilities');
    const conversation = await ruleRun.open();
    for (const { capability, method, params } of missing) {
      const { result, frame } = await conversation.request(method, params);
      if (result) violation(`The server does not declare \`${capability}\` and answers \`${method}\`.`, frame);
    }
  },
};

export const clientCapabilities: ServerRule = {
  id: 'lifecycle/client-capabilities-are-respected',
  level: 'MUST',
  levels: before('2025-06-18', 'SHOULD'),
  title: 'ask only for what the client has declared',
  says: 'Both sides use only capabilities that were negotiated: no sampling, elicitation or roots without the capability of the client.',
  source: { of: 'mcp', page: 'basic/lifecycle#operation' },
  fix: {
    any: 'Look at `capabilities` of `initialize` before a request is sent to the client, and do without if it is missing.',
  },
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
          violation(`The server sent \`${method}\` to a client without \`${capability}\`.`, frame);
        }
      }
    }
  },
};

/** All that a process was ever offered. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
