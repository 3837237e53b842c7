// What each request says about itself in `_meta`, and what is refused.

import type { JsonObject } from '../../../../base/json-object.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../../../mcp/meta.ts';
import { ownInfo } from '../../../../mcp/own-info.ts';
import { violation } from '../../../verdict.ts';
import { type Answer, describeError, readAnswer, withEnvelope } from '../../conversation.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS, modernRule, page } from './modern-rule.ts';

const METHOD = 'server/discover';
const UNSUPPORTED = -32022;
const fix = {
  any: 'Validate `params._meta` before the method runs: `io.modelcontextprotocol/protocolVersion` (a string) and `io.modelcontextprotocol/clientCapabilities` (an object) are required, all else is optional. Refuse with -32602.',
};
const source = page('basic/index#meta');

/** Asks with these `params` as they are. */
async function asked(ruleRun: ServerRuleRun, params: JsonObject | undefined): Promise<Answer> {
  const conversation = await ruleRun.shared();
  const id = conversation.probe.newId();
  conversation.probe.send({ jsonrpc: '2.0', id, method: METHOD, ...(params && { params }) });
  return conversation.answer(id, `\`${METHOD}\``);
}

function mustBeRefused({ error, frame }: Answer, what: string): void {
  if (!error) violation(`A request ${what} was answered with a result.`, frame);
  if (error.code !== INVALID_PARAMS)
    violation(`A request ${what} was refused with ${describeError(error)} instead of ${INVALID_PARAMS}.`, frame);
}

/** Without a version, a server of both eras may take the request for one of an earlier revision: it refuses it with any code. */
async function mustNotBeServed(ruleRun: ServerRuleRun, answer: Answer, what: string): Promise<void> {
  if (answer.error && answer.error.code !== INVALID_PARAMS && (await hasInitialize(ruleRun))) return;
  mustBeRefused(answer, what);
}

async function hasInitialize(ruleRun: ServerRuleRun): Promise<boolean> {
  const probe = await ruleRun.start();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: ownInfo };
  probe.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  return readAnswer(await probe.answerTo(1, '`initialize`'), 1).result !== undefined;
}

/** The envelope with changes; `undefined` takes a member away. */
function envelope(ruleRun: ServerRuleRun, changes: JsonObject): JsonObject {
  return withEnvelope({ _meta: changes }, ruleRun.revision, {});
}

export const envelopeRules = [
  modernRule({
    id: 'modern/meta-is-required',
    level: 'MUST',
    title: 'refuse a request without `_meta`',
    says: 'Every request carries its protocol version and the capabilities of its client in `_meta`. A request without them is malformed and gets the error -32602.',
    source,
    fix,
    uses: 'shared',
    check: async (ruleRun) => mustNotBeServed(ruleRun, await asked(ruleRun, {}), 'without `_meta`'),
  }),
  modernRule({
    id: 'modern/version-is-required',
    level: 'MUST',
    title: 'refuse a request without a protocol version',
    says: 'The protocol version is a required member of `_meta`. A request without it is malformed and gets the error -32602.',
    source,
    fix,
    uses: 'shared',
    check: async (ruleRun) => {
      const answer = await asked(ruleRun, envelope(ruleRun, { [PROTOCOL_VERSION_KEY]: undefined }));
      await mustNotBeServed(ruleRun, answer, 'without a version');
    },
  }),
  modernRule({
    id: 'modern/version-is-a-string',
    level: 'MUST',
    title: 'refuse a protocol version that is not a string',
    says: 'The protocol version in `_meta` is a string. A request with another type in its place is malformed.',
    source,
    fix,
    uses: 'shared',
    check: async (ruleRun) => {
      const answer = await asked(ruleRun, envelope(ruleRun, { [PROTOCOL_VERSION_KEY]: 20260728 }));
      if (answer.error?.code !== UNSUPPORTED) await mustNotBeServed(ruleRun, answer, 'whose version is a number');
    },
  }),
  modernRule({
    id: 'modern/capabilities-are-required',
    level: 'MUST',
    title: 'refuse a request without client capabilities',
    says: 'The capabilities of the client are a required member of `_meta`, an empty object if it has none. A request without them gets the error -32602.',
    source,
    fix,
    uses: 'shared',
    check: async (ruleRun) =>
      mustBeRefused(
        await asked(ruleRun, envelope(ruleRun, { [CLIENT_CAPABILITIES]: undefined })),
        'without capabilities',
      ),
  }),
  modernRule({
    id: 'modern/client-info-is-optional',
    level: 'SHOULD',
    title: 'serve a request without client info',
    says: 'Clients may leave out their name and version: `io.modelcontextprotocol/clientInfo` is not a required member of `_meta`.',
    source,
    fix: { any: 'Do not require `io.modelcontextprotocol/clientInfo`. It is for display and logs.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      await conversation.result(METHOD, { _meta: { [CLIENT_INFO]: undefined } });
    },
  }),
  modernRule({
    id: 'modern/other-meta-is-allowed',
    level: 'ADVICE',
    title: 'accept further members of `_meta`',
    says: 'A request may carry further metadata, such as a trace context or keys of other parties, and capabilities that the server does not know.',
    source,
    fix: { any: 'Ignore keys of `_meta` and capabilities of the client that the server does not know.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
      const capabilities = { experimental: { 'com.example/check': {} } };
      const more = { traceparent, 'com.example/check': { deep: [1, null] }, [CLIENT_CAPABILITIES]: capabilities };
      await conversation.result(METHOD, { _meta: more });
    },
  }),
];
