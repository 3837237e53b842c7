// The version that each request names, and the versions that the server names.

import { isObject } from '../../../../base/json-object.ts';
import { PROTOCOL_VERSION_KEY } from '../../../../mcp/meta.ts';
import { ownInfo } from '../../../../mcp/own-info.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, readAnswer, withEnvelope } from '../../conversation.ts';
import { wrongCapability } from '../wrong-capability.ts';
import { exchangesOfAllVersions } from './exchanges.ts';
import { modernRule, page } from './modern-rule.ts';

const UNSUPPORTED = -32022;
const OLDER = '1900-01-01';
/** A server that compares only the beginning of a version, or its order, accepts it. */
const NEWER = '2099-01-01';
const METHOD = 'server/discover';
const inVersion = (version: string) => ({ _meta: { [PROTOCOL_VERSION_KEY]: version } });
const negotiation = page('basic/versioning#protocol-version-negotiation');
const fix = {
  any: 'Compare `io.modelcontextprotocol/protocolVersion` of each request with the versions that the server supports. Refuse others with -32022 and `data: { supported: […], requested }`.',
};

export const discoverVersions = modernRule({
  id: 'modern/discover-versions',
  level: 'MUST',
  title: 'list its versions in `server/discover`',
  says: 'The result of `server/discover` has `supportedVersions`, a list of strings from which the client chooses.',
  source: page('server/discover#discoverresult'),
  fix: { any: 'Set `supportedVersions` to the names of the supported revisions, such as ["2026-07-28"].' },
  uses: 'shared',
  check: async (ruleRun) => {
    const { supportedVersions } = await (await ruleRun.shared()).result(METHOD);
    if (!isListOfVersions(supportedVersions) || !supportedVersions.includes(ruleRun.revision))
      violation(`\`supportedVersions\` is ${JSON.stringify(supportedVersions)}.`);
  },
});

export const versionRules = [
  modernRule({
    id: 'modern/unsupported-version',
    level: 'MUST',
    title: 'refuse an unsupported version with -32022',
    says: 'A request in a version that the server does not implement gets the error UnsupportedProtocolVersion, -32022. Clients recognise a server of this era by it.',
    source: negotiation,
    fix,
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
  }),
  modernRule({
    id: 'modern/version-of-each-request',
    level: 'MUST',
    title: 'look at the version of each request',
    says: 'A server relies on no earlier request of the connection for the protocol version: each request is accepted or refused by its own.',
    source: page('basic/index#statelessness'),
    fix,
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { result, frame } = await conversation.request(METHOD, inVersion(OLDER));
      if (result) violation(`After others in ${ruleRun.revision}, a request in ${OLDER} was served.`, frame);
      await conversation.result(METHOD);
    },
  }),
  modernRule({
    id: 'modern/unsupported-version-data',
    level: 'MUST',
    title: 'name the supported versions in the error -32022',
    says: 'The data of UnsupportedProtocolVersion has `supported`, the versions that the server implements, and `requested`, the version that was asked for.',
    source: negotiation,
    fix,
    uses: 'seen',
    check: (ruleRun) => {
      const refused = exchangesOfAllVersions(ruleRun).filter(({ error }) => error?.code === UNSUPPORTED);
      if (refused.length === 0) notApplicable(`the server answered no request with ${UNSUPPORTED}`);
      for (const { error, meta, frame } of refused) {
        const { supported, requested } = isObject(error?.data) ? error.data : {};
        if (!isListOfVersions(supported) || !supported.includes(ruleRun.revision))
          violation(`\`data.supported\` is ${JSON.stringify(supported)}: not a list with ${ruleRun.revision}.`, frame);
        if (requested !== meta[PROTOCOL_VERSION_KEY] && typeof meta[PROTOCOL_VERSION_KEY] === 'string')
          violation(`\`data.requested\` is ${JSON.stringify(requested)} instead of the version of the request.`, frame);
      }
    },
  }),
  discoverVersions,
  modernRule({
    id: 'modern/discover-capabilities',
    level: 'MUST',
    title: 'list its capabilities in `server/discover`',
    says: 'The result of `server/discover` has `capabilities`, an object. Each capability that the specification defines is an object too.',
    source: page('server/discover#discoverresult'),
    fix: { any: 'Set `capabilities` in the result of `server/discover`, {} if there are none.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const { capabilities } = await (await ruleRun.shared()).result(METHOD);
      if (!isObject(capabilities)) violation(`\`capabilities\` is ${JSON.stringify(capabilities)}: not an object.`);
      const wrong = wrongCapability(capabilities);
      if (wrong) violation(`The capability \`${wrong}\` is ${JSON.stringify(capabilities[wrong])}: not an object.`);
    },
  }),
  modernRule({
    id: 'modern/initialize-names-versions',
    level: 'SHOULD',
    title: 'name its versions in the error for `initialize`',
    says: 'A server without the handshake names the versions that it supports in its error for `initialize`: a client of an earlier revision can show nothing else to its user.',
    source: page('basic/versioning#backward-compatibility-with-initialization-based-versions'),
    fix: { any: 'Write the supported versions into the message of the error for `initialize`.' },
    uses: 'own',
    check: async (ruleRun) => {
      const probe = await ruleRun.start();
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: ownInfo };
      probe.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const frame = await probe.answerTo(1, '`initialize`');
      const { error } = readAnswer(frame, 1);
      if (!error || JSON.stringify(error).includes(ruleRun.revision)) return;
      violation(`The error for \`initialize\` does not name ${ruleRun.revision}: ${describeError(error)}.`, frame);
    },
  }),
];

export function isListOfVersions(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}
