// Rules about the envelope and the version of requests, and about their independence of earlier requests.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../../../mcp/meta.ts';
import { NEWEST_LEGACY } from '../../../../mcp/revisions.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError, initializeParams, readAnswer, withEnvelope } from '../../conversation.ts';
import { wrongCapability } from '../../facts.ts';
import { initializeOn } from '../../initialize.ts';
import type { Probe } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS } from '../methods/exchange.ts';
import { exchangesOfAllVersions, modern } from './exchanges.ts';
import { allCapabilities, asks, freshAskingCall } from './tried-calls.ts';

const METHOD = 'server/discover';
const UNSUPPORTED = -32022;
const OLDER = '1900-01-01';
/** A version that a server accepts if it compares only the beginning or the order of versions. */
const NEWER = '2099-01-01';
const inVersion = (version: string) => ({ _meta: { [PROTOCOL_VERSION_KEY]: version } });
const meta = mcp('basic/index#meta');
const negotiation = mcp('basic/versioning#protocol-version-negotiation');
const statelessness = mcp('basic/index#statelessness');
const validate = {
  any: 'Validate `params._meta` before the method runs: `io.modelcontextprotocol/protocolVersion` (a string) and `io.modelcontextprotocol/clientCapabilities` (an object) are required, everything else is optional. Refuse other requests with -32602.',
};

const compare = {
  any: 'Compare `io.modelcontextprotocol/protocolVersion` of each request with the versions that the server supports. Refuse others with -32022 and `data: { supported: […], requested }`.',
};

const envelopeRules = serverRows({ ...modern, source: meta, fix: validate, uses: 'shared', level: 'MUST' }, [
  {
    id: 'modern/meta-is-required',
    title: 'refuse a request without `_meta`',
    says: 'Every request has its protocol version and the capabilities of its client in `_meta`. A request without them is malformed and gets the error -32602.',
    check: async (ruleRun) => mustNotBeServed(ruleRun, await asked(ruleRun, {}), 'without `_meta`'),
  },
  {
    id: 'modern/version-is-required',
    title: 'refuse a request without a protocol version',
    says: 'The protocol version is a required member of `_meta`. A request without it is malformed and gets the error -32602.',
    check: async (ruleRun) => {
      const answer = await asked(ruleRun, envelope(ruleRun, { [PROTOCOL_VERSION_KEY]: undefined }));
      await mustNotBeServed(ruleRun, answer, 'without a version');
    },
  },
  {
    id: 'modern/version-is-a-string',
    title: 'refuse a protocol version that is not a string',
    says: 'The protocol version in `_meta` is a string. A request with a version of another type is malformed.',
    check: async (ruleRun) => {
      const answer = await asked(ruleRun, envelope(ruleRun, { [PROTOCOL_VERSION_KEY]: 20260728 }));
      if (answer.error?.code !== UNSUPPORTED) await mustNotBeServed(ruleRun, answer, 'whose version is a number');
    },
  },
  {
    id: 'modern/capabilities-are-required',
    title: 'refuse a request without client capabilities',
    says: 'The capabilities of the client are a required member of `_meta`, an empty object if it has none. A request without them gets the error -32602.',
    check: async (ruleRun) =>
      mustBeRefused(
        await asked(ruleRun, envelope(ruleRun, { [CLIENT_CAPABILITIES]: undefined })),
        'without capabilities',
      ),
  },
  {
    id: 'modern/client-info-is-optional',
    level: 'SHOULD',
    title: 'accept a request without client info',
    says: 'Clients may leave out their name and version: `io.modelcontextprotocol/clientInfo` is an optional member of `_meta`.',
    fix: 'Do not require `io.modelcontextprotocol/clientInfo`. It is for display and logs.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      await conversation.result(METHOD, { _meta: { [CLIENT_INFO]: undefined } });
    },
  },
  {
    id: 'modern/other-meta-is-allowed',
    level: 'ADVICE',
    title: 'accept further members of `_meta`',
    says: 'A request may have further metadata, such as a trace context or keys of other parties, and capabilities that are unknown to the server.',
    fix: 'Ignore unknown keys of `_meta` and unknown capabilities of the client.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
      const capabilities = { experimental: { 'com.example/check': {} } };
      const more = { traceparent, 'com.example/check': { deep: [1, null] }, [CLIENT_CAPABILITIES]: capabilities };
      await conversation.result(METHOD, { _meta: more });
    },
  },
]);

const versionRules = serverRows({ ...modern, level: 'MUST', fix: compare, uses: 'shared' }, [
  {
    id: 'modern/unsupported-version',
    title: 'refuse an unsupported version with -32022',
    says: 'A request in a version that the server does not implement gets the error UnsupportedProtocolVersion, -32022. Clients recognise a server of this era by this error.',
    source: negotiation,
    uses: 'own',
    check: async (ruleRun) => {
      for (const version of [OLDER, NEWER]) {
        const probe = await ruleRun.start();
        const params = withEnvelope(inVersion(version), ruleRun.revision, {});
        probe.send({ jsonrpc: '2.0', id: 1, method: METHOD, params });
        const frame = await probe.answerTo(1, `\`${METHOD}\` in ${version}`);
        const { error } = readAnswer(frame, 1);
        if (!error) violation(`A request in ${version} was answered with a result.`, frame);
        if (error.code !== UNSUPPORTED)
          violation(`A request in ${version} was refused with ${error.code} instead of ${UNSUPPORTED}.`, frame);
      }
    },
  },
  {
    id: 'modern/version-of-each-request',
    title: 'check the version of each request',
    says: 'A server does not derive the protocol version from earlier requests of the connection: it accepts or refuses each request by its own version.',
    source: statelessness,
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { result, frame } = await conversation.request(METHOD, inVersion(OLDER));
      if (result) violation(`After requests in ${ruleRun.revision}, a request in ${OLDER} was served.`, frame);
      await conversation.result(METHOD);
    },
  },
  {
    id: 'modern/unsupported-version-data',
    title: 'name the supported versions in the error -32022',
    says: 'The data of UnsupportedProtocolVersion has `supported`, the versions that the server implements, and `requested`, the version of the request.',
    source: negotiation,
    uses: 'seen',
    check: (ruleRun) => {
      const refused = exchangesOfAllVersions(ruleRun).filter(({ error }) => error?.code === UNSUPPORTED);
      if (refused.length === 0) notApplicable(`the server did not answer a request with ${UNSUPPORTED}`);
      for (const { error, meta, frame } of refused) {
        const { supported, requested } = isObject(error?.data) ? error.data : {};
        if (!isListOfVersions(supported) || !supported.includes(ruleRun.revision))
          violation(`\`data.supported\` is ${JSON.stringify(supported)}, not a list with ${ruleRun.revision}.`, frame);
        if (requested !== meta[PROTOCOL_VERSION_KEY] && typeof meta[PROTOCOL_VERSION_KEY] === 'string')
          violation(`\`data.requested\` is ${JSON.stringify(requested)} instead of the version of the request.`, frame);
      }
    },
  },
  {
    id: 'modern/discover-versions',
    title: 'list its versions in `server/discover`',
    says: 'The result of `server/discover` has `supportedVersions`, a list of strings from which the client chooses.',
    source: mcp('server/discover#discoverresult'),
    fix: 'Set `supportedVersions` to the names of the supported revisions, such as ["2026-07-28"].',
    check: async (ruleRun) => {
      const { supportedVersions } = await (await ruleRun.shared()).result(METHOD);
      if (!isListOfVersions(supportedVersions) || !supportedVersions.includes(ruleRun.revision))
        violation(
          `\`supportedVersions\` is ${JSON.stringify(supportedVersions)}, not a list with ${ruleRun.revision}.`,
        );
    },
  },
  {
    id: 'modern/discover-capabilities',
    title: 'list its capabilities in `server/discover`',
    says: 'The result of `server/discover` has `capabilities`, an object. Each capability that the specification defines is an object too.',
    source: mcp('server/discover#discoverresult'),
    fix: 'Set `capabilities` in the result of `server/discover`, {} if there are none.',
    check: async (ruleRun) => {
      const { capabilities } = await (await ruleRun.shared()).result(METHOD);
      if (!isObject(capabilities)) violation(`\`capabilities\` is ${JSON.stringify(capabilities)}, not an object.`);
      const wrong = wrongCapability(capabilities);
      if (wrong) violation(`The capability \`${wrong}\` is ${JSON.stringify(capabilities[wrong])}, not an object.`);
    },
  },
  {
    id: 'modern/initialize-names-versions',
    level: 'SHOULD',
    title: 'name its versions in the error for `initialize`',
    says: 'A server without the handshake names its supported versions in the error for `initialize`: a client of an earlier revision can only show this error to its user.',
    source: mcp('basic/versioning#backward-compatibility-with-initialization-based-versions'),
    fix: 'Write the supported versions into the message of the error for `initialize`.',
    uses: 'own',
    check: async (ruleRun) => {
      const { error, frame } = await initialized(ruleRun);
      if (!error || JSON.stringify(error).includes(ruleRun.revision)) return;
      violation(`The error for \`initialize\` does not name ${ruleRun.revision}: ${describeError(error)}.`, frame);
    },
  },
]);

const statelessRules = serverRows({ ...modern, level: 'MUST', source: statelessness, uses: 'own' }, [
  {
    id: 'modern/no-handshake',
    title: 'serve any request as the first of a connection',
    says: 'There is no handshake: a client may send any request first, even before `server/discover`.',
    fix: 'Serve every request that has the envelope in `_meta`. Do not wait for `initialize` or `server/discover`.',
    check: async (ruleRun) => {
      const method = listOf(ruleRun);
      const { error, frame } = await ask(ruleRun, await ruleRun.start(), method, 'as the first request');
      if (!error) return;
      await mustBeServedAfterDiscover(ruleRun, method);
      violation(`\`${method}\` as the first request got the error ${describeError(error)}.`, frame);
    },
  },
  {
    id: 'modern/era-of-each-request',
    title: 'serve requests of this revision after any other message',
    says: 'A request with the envelope in `_meta` is served by this revision. An earlier notification without an envelope does not change that: a client may cancel `server/discover`.',
    fix: 'Choose the era by `_meta` of each request. Only `initialize` chooses an earlier era for the connection.',
    check: async (ruleRun) => {
      const method = listOf(ruleRun);
      const probe = await ruleRun.start();
      const requestId = probe.newId();
      const params = withEnvelope(undefined, ruleRun.revision, {});
      probe.send({ jsonrpc: '2.0', id: requestId, method: 'server/discover', params });
      probe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
      const { result, error } = await ask(ruleRun, probe, method, 'after a notification');
      const after = 'After a notification without an envelope, a request';
      if (!error && (!result || result.resultType !== undefined)) return;
      const conversation = [...probe.transcript.entries];
      await mustBeServedAfterDiscover(ruleRun, method);
      const served = error ? `got the error ${describeError(error)}` : 'was served by an earlier revision';
      violation(`${after} ${served}.`, ...conversation);
    },
  },
  {
    id: 'modern/capabilities-of-each-request',
    title: 'use only the capabilities of the request itself',
    says: 'A server does not derive the capabilities of the client from earlier requests of the connection. Concurrent requests are served with their own capabilities.',
    fix: 'Read `io.modelcontextprotocol/clientCapabilities` from the request that you serve. Do not store it for the connection.',
    check: async (ruleRun) => {
      const asking = await freshAskingCall(ruleRun);
      if (asks(await asking.request({}, {}))) notApplicable('the server also asks clients without capabilities');
      const [before, able, after] = await Promise.all([
        asking.request({}, {}),
        asking.request({}, allCapabilities),
        asking.request({}, {}),
      ]);
      for (const answer of [before, after, await asking.request({}, {})]) {
        if (!asks(answer)) continue;
        violation('A client without capabilities was asked because another request had declared them.', answer.frame);
      }
      if (!asks(able) && asks(await asking.request({}, allCapabilities)))
        violation('A client with capabilities was not asked because another request had none.', able.frame);
    },
  },
]);

export const requestEnvelopeRules = [...envelopeRules, ...versionRules, ...statelessRules];

/** Sends a request with exactly these `params`. */
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

/** A server of both eras may treat a request without a version as one of an earlier revision and refuse it with any code. */
async function mustNotBeServed(ruleRun: ServerRuleRun, answer: Answer, what: string): Promise<void> {
  if (answer.error && answer.error.code !== INVALID_PARAMS && (await hasInitialize(ruleRun))) return;
  mustBeRefused(answer, what);
}

async function initialized(ruleRun: ServerRuleRun): Promise<Answer> {
  return initializeOn(await ruleRun.start(), initializeParams(NEWEST_LEGACY));
}

async function hasInitialize(ruleRun: ServerRuleRun): Promise<boolean> {
  return (await initialized(ruleRun)).result !== undefined;
}

/** The envelope with changes; `undefined` removes a member. */
function envelope(ruleRun: ServerRuleRun, changes: JsonObject): JsonObject {
  return withEnvelope({ _meta: changes }, ruleRun.revision, {});
}

/** The list method of a declared capability. */
function listOf({ facts }: ServerRuleRun): string {
  const kind = (['tools', 'resources', 'prompts'] as const).find((each) => facts.capabilities[each]);
  return kind ? `${kind}/list` : notApplicable('the server has no tools, resources or prompts');
}

async function ask(ruleRun: ServerRuleRun, probe: Probe, method: string, what: string): Promise<Answer> {
  const id = probe.newId();
  probe.send({ jsonrpc: '2.0', id, method, params: withEnvelope(undefined, ruleRun.revision, {}) });
  return readAnswer(await probe.answerTo(id, `\`${method}\` ${what}`), id);
}

/**
 * Sends a request after `server/discover`. Not applicable if the request is answered in the same way without the
 * earlier messages.
 */
async function mustBeServedAfterDiscover(ruleRun: ServerRuleRun, method: string): Promise<void> {
  const probe = await ruleRun.start();
  await ask(ruleRun, probe, 'server/discover', 'as the first request');
  const { result, error } = await ask(ruleRun, probe, method, 'after `server/discover`');
  if (error) notApplicable(`\`${method}\` is also refused after \`server/discover\`: ${describeError(error)}`);
  if (result && result.resultType === undefined)
    notApplicable(
      `the result of \`${method}\` also lacks \`resultType\` after \`server/discover\` (modern/result-type)`,
    );
}

export function isListOfVersions(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}
