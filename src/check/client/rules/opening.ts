// Rules about opening a connection: the first request, its members, and servers of other versions.

import { isObject, jsonKind, metaOf } from '../../../base/json-object.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import { NEWEST_LEGACY, NEWEST_MODERN, revisionsOfMcp } from '../../../mcp/revisions.ts';
import { messagesOf } from '../../server/probe.ts';
import { initialization, mcp } from '../../sources.ts';
import { notApplicable, violation } from '../../verdict.ts';
import { type ClientRuleRun, clientRows, endOf, endsWithError } from '../client-rule-run.ts';
import { askedIn, messagesIn } from '../scenario.ts';
import {
  LINES_BEFORE_ANSWER,
  modernOnly,
  OLDER_REVISION,
  older,
  plain,
  refusesDiscover,
  silentOnDiscover,
  UNKNOWN_REVISION,
  unknownVersion,
} from '../scenarios.ts';
import type { Asked } from '../usual-answers.ts';

const negotiation = mcp('basic/lifecycle#version-negotiation', {
  [NEWEST_MODERN]: 'basic/versioning#protocol-version-negotiation',
});
const compatibility = mcp('basic/transports/stdio#backward-compatibility');
const perRequest = mcp('basic/index#meta');
const INITIALIZED = 'notifications/initialized';
const noOlder = 'the client does not support an older revision';

/** How a client under test is expected to behave, up to its first request. */
export const EXPECTED =
  'A client under test starts the server that {server} or {config} in its arguments, or STANDPIPE_CHECK_SERVER or ' +
  'STANDPIPE_CHECK_CONFIG in its environment, names. It then';

const handshakeRules = clientRows({ level: 'MUST', source: initialization }, [
  {
    id: 'client-lifecycle/opens',
    title: 'open the connection',
    says: 'The first request of a client is `initialize`, or since 2026-07-28 any request that names its revision in `_meta`.',
    source: mcp('basic/lifecycle#initialization', { '2026-07-28': 'basic/versioning' }),
    fix: `Send \`initialize\` first, or use the client of an SDK. ${EXPECTED} lists the tools, calls the tool \`echo\` with a \`text\`, closes and exits with code 0.`,
    scenarios: [plain],
    check: ({ plain: { servers } }) => {
      if (servers.length === 0) violation('The client did not start the server.');
      const server = servers.find(({ asked }) => asked.length > 0);
      if (!server) {
        const { length } = servers[0]!.rest;
        violation(`The client sent no request.${length > 0 ? ` It sent ${length} bytes without a newline.` : ''}`);
      }
      const first = server.asked.find(({ method }) => method !== 'ping');
      if (first && first.method !== 'initialize' && first.era === 'legacy') {
        violation(
          `The first request of the client is \`${first.method}\`, without \`initialize\` and without a revision.`,
        );
      }
    },
  },
  {
    id: 'client-lifecycle/known-version',
    title: 'name a published revision',
    says: 'A client sends a protocol version that it supports: the date of a published revision.',
    source: negotiation,
    fix: `Send the date of a revision as a string, such as "${NEWEST_LEGACY}".`,
    scenarios: [plain, older],
    check: (ruleRun) => {
      const sent = ruleRun.asked().filter(({ method, era }) => era === 'modern' || method === 'initialize');
      const versions = sent.map((asked) =>
        asked.era === 'modern' ? metaOf(asked.params)?.[PROTOCOL_VERSION_KEY] : asked.params.protocolVersion,
      );
      const isPublished = (version: unknown) => (revisionsOfMcp as readonly unknown[]).includes(version);
      if (versions.every(isPublished)) return;
      const unknown = versions.find((version) => !isPublished(version));
      if (typeof unknown === 'string' && /^\d{4}-\d\d-\d\d$/.test(unknown) && unknown > NEWEST_MODERN) {
        notApplicable(`the revision ${unknown} is newer than this check`);
      }
      if (typeof unknown === 'string' && /^draft/i.test(unknown)) notApplicable(`${unknown} is a draft`);
      violation(`The protocol version is ${JSON.stringify(unknown) ?? 'absent'}, which is not a published revision.`);
    },
  },
  {
    id: 'client-lifecycle/declares-capabilities',
    title: 'send its capabilities in `initialize`',
    says: 'The parameters of `initialize` have `capabilities`, an object, which is empty for a client without capabilities.',
    fix: 'Send at least "capabilities": {}.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: (ruleRun) => {
      for (const { params } of initializes(ruleRun)) {
        if (!isObject(params.capabilities))
          violation(`\`capabilities\` is ${jsonKind(params.capabilities)}, not an object.`);
      }
    },
  },
  {
    id: 'client-lifecycle/introduces-itself',
    title: 'send its name and version in `initialize`',
    says: 'The parameters of `initialize` have `clientInfo` with a `name` and a `version`.',
    fix: 'Send "clientInfo": {"name": "…", "version": "…"}.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: (ruleRun) => {
      for (const { params } of initializes(ruleRun)) requireInfo('clientInfo', params.clientInfo);
    },
  },
  {
    id: 'client-lifecycle/waits-for-the-answer',
    level: 'SHOULD',
    title: 'wait for the answer to `initialize`',
    says: 'Until the server has answered `initialize`, a client sends no requests other than pings.',
    fix: 'Await the result of `initialize` before the next request.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: (ruleRun) => {
      for (const server of ruleRun.servers) {
        const lines = server.notes.get(LINES_BEFORE_ANSWER);
        if (typeof lines !== 'number') continue;
        const methods = server.frames.slice(0, lines).flatMap(messagesOf).flatMap(requestMethod);
        const early = methods.slice(methods.indexOf('initialize') + 1).find((method) => method !== 'ping');
        if (early) violation(`The client sent \`${early}\` before the answer to \`initialize\`.`);
      }
    },
  },
  {
    id: 'client-lifecycle/sends-initialized',
    title: 'send `notifications/initialized` after the answer to `initialize`',
    says: 'After a successful initialization the client sends the notification `notifications/initialized` before other requests.',
    fix: 'Send {"jsonrpc":"2.0","method":"notifications/initialized"} after the answer to `initialize`.',
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: (ruleRun) => {
      for (const server of ruleRun.servers) {
        const lines = server.notes.get(LINES_BEFORE_ANSWER);
        if (typeof lines !== 'number') continue;
        const later = server.messages(lines);
        const at = later.findIndex(({ method }) => method === INITIALIZED);
        const before = (at < 0 ? later : later.slice(0, at)).flatMap(requestMethod).find((method) => method !== 'ping');
        if (before) violation(`The client sent \`${before}\` without \`${INITIALIZED}\` before it.`);
        if (at < 0) notApplicable('the client sent nothing after `initialize`');
      }
    },
  },
  {
    id: 'client-lifecycle/envelope',
    title: 'send the revision and its capabilities in every request',
    says: 'Every request has `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities` in `_meta`.',
    source: perRequest,
    fix: 'Add both members to `params._meta` of every request, including requests without other parameters.',
    since: NEWEST_MODERN,
    scenarios: [plain],
    check: (ruleRun) => {
      for (const asked of modernRequests(ruleRun)) {
        const meta = metaOf(asked.params) ?? {};
        const { method } = asked;
        if (typeof meta[PROTOCOL_VERSION_KEY] !== 'string')
          violation(`\`${method}\` has no ${PROTOCOL_VERSION_KEY} in \`_meta\`.`);
        const declared = meta[CLIENT_CAPABILITIES];
        if (!isObject(declared))
          violation(`${CLIENT_CAPABILITIES} of \`${method}\` is ${jsonKind(declared)}, not an object.`);
      }
    },
  },
  {
    id: 'client-lifecycle/names-itself',
    level: 'SHOULD',
    title: 'send its name and version in every request',
    says: 'Every request has `io.modelcontextprotocol/clientInfo` in `_meta`, unless the user has turned that off.',
    source: perRequest,
    fix: 'Add {"name": "…", "version": "…"} to `params._meta` of every request.',
    since: NEWEST_MODERN,
    scenarios: [plain],
    check: (ruleRun) => {
      for (const asked of modernRequests(ruleRun)) {
        requireInfo(`${CLIENT_INFO} of \`${asked.method}\``, metaOf(asked.params)?.[CLIENT_INFO]);
      }
    },
  },
]);

const versionRules = clientRows({ level: 'SHOULD', source: compatibility }, [
  {
    id: 'client-lifecycle/accepts-an-older-version',
    level: 'ADVICE',
    title: 'accept a server of an older version',
    says: 'A server that does not support the version of the client answers with another one. A client may then disconnect, but most servers are older than the clients that use them.',
    source: { of: 'standpipe' },
    fix: `Compare the version in the answer with all versions that the client supports, including ${OLDER_REVISION}.`,
    until: NEWEST_LEGACY,
    scenarios: [older],
    check: (ruleRun) => {
      const [asked] = askedIn(ruleRun.run(), 'initialize');
      if (!asked) notApplicable('the client does not send `initialize`');
      if (String(asked.params.protocolVersion) < OLDER_REVISION)
        notApplicable(`the client is older than ${OLDER_REVISION}`);
      ruleRun.goesOnAfter('initialize', `After an answer with the version ${OLDER_REVISION}`);
    },
  },
  {
    id: 'client-lifecycle/leaves-an-unknown-version',
    title: 'disconnect from a server of an unsupported version',
    says: 'If the client does not support the version in the answer from the server, it disconnects.',
    source: negotiation,
    fix: 'Compare the version in the answer with the supported versions. If it is not one of them, close the connection and report the error.',
    scenarios: [unknownVersion],
    check: (ruleRun) => {
      const run = ruleRun.run();
      const used = messagesIn(run).find(({ method }) => method === 'tools/call' || method === INITIALIZED);
      if (used && askedIn(run).some(({ method }) => method === 'initialize' || method === 'server/discover')) {
        violation(
          `The server chose the version ${UNKNOWN_REVISION}, and the client continued with \`${String(used.method)}\`.`,
        );
      }
      if (!run.clientRun.exitStatus) violation(`The client did not disconnect. ${endOf(run)}`);
    },
  },
  {
    id: 'client-lifecycle/modern-server',
    level: 'ADVICE',
    title: 'support a server that has only 2026-07-28, or end with an error',
    says: `A server that has only ${NEWEST_MODERN} refuses \`initialize\`. A client that supports this revision works with it; an older client reports the error.`,
    source: mcp('basic/lifecycle#error-handling', { [NEWEST_MODERN]: 'basic/versioning#compatibility-matrix' }),
    fix: 'Close the connection when `initialize` is answered with an error, and show its message: it names the versions of the server.',
    scenarios: [modernOnly],
    check: (ruleRun) => {
      if (askedIn(ruleRun.plain)[0]?.era === 'modern')
        return ruleRun.goesOnAfter('initialize', `With a server that has only ${NEWEST_MODERN}`);
      endsWithError(ruleRun.run(), `A server of ${NEWEST_MODERN} refused \`initialize\``);
    },
  },
  {
    id: 'client-lifecycle/legacy-server',
    title: 'fall back to `initialize` with a server without `server/discover`',
    says: 'An answer to `server/discover` with an error that is not defined in this revision means that the server is older. The client falls back to `initialize`, or reports an error if it does not support an older revision.',
    fix: 'Send `initialize` when `server/discover` is refused.',
    since: NEWEST_MODERN,
    scenarios: [older],
    check: (ruleRun) => {
      const run = ruleRun.run();
      if (askedIn(run, 'initialize').length === 0) endsWithError(run, 'The server is older than 2026-07-28');
    },
  },
  {
    id: 'client-lifecycle/falls-back-on-any-error',
    level: 'MUST',
    title: 'fall back to `initialize` on any error code',
    says: 'Older servers refuse a request before `initialize` with different codes. The fallback does not depend on one code.',
    fix: 'Fall back to `initialize` on every error that is not defined in this revision, such as -32022.',
    since: NEWEST_MODERN,
    scenarios: [older, refusesDiscover],
    check: (ruleRun) => {
      if (askedIn(ruleRun.run(older), 'initialize').length === 0) notApplicable(noOlder);
      if (askedIn(ruleRun.run(refusesDiscover), 'initialize').length === 0) {
        violation('The client fell back to `initialize` after the error -32601, but not after -32602.');
      }
    },
  },
  {
    id: 'client-lifecycle/falls-back-on-silence',
    title: 'fall back to `initialize` when `server/discover` is not answered',
    says: 'Some older servers do not answer requests before `initialize`. The client falls back after a reasonable time without an answer.',
    fix: 'Wait only a few seconds for the answer to `server/discover`, then send `initialize`.',
    since: NEWEST_MODERN,
    scenarios: [older, silentOnDiscover],
    check: (ruleRun) => {
      if (askedIn(ruleRun.run(older), 'initialize').length === 0) notApplicable(noOlder);
      const run = ruleRun.run(silentOnDiscover);
      if (askedIn(run, 'initialize').length > 0) return;
      // The specification does not limit how long a client waits.
      if (!run.clientRun.exitStatus)
        notApplicable(`the client ${run.clientRun.stopped} and may wait longer: raise --timeout`);
      violation(`The client did not send \`initialize\` although \`server/discover\` was not answered. ${endOf(run)}`);
    },
  },
]);

export const openingRules = [...handshakeRules, ...versionRules];

function initializes(ruleRun: ClientRuleRun): Asked[] {
  const found = ruleRun.asked('initialize');
  return found.length > 0 ? found : notApplicable('the client does not send `initialize`');
}

/** All requests of connections that were opened without `initialize`. */
function modernRequests(ruleRun: ClientRuleRun): Asked[] {
  const servers = ruleRun.servers.filter(({ asked }) => asked[0]?.era === 'modern');
  if (servers.length === 0) notApplicable('the client opens the connection with `initialize`');
  return servers.flatMap(({ asked }) => asked).filter(({ method }) => method !== 'initialize' && method !== 'ping');
}

function requireInfo(what: string, info: unknown): void {
  if (!isObject(info)) violation(`${what} is ${jsonKind(info)}, not an object.`);
  for (const member of ['name', 'version']) {
    if (typeof info[member] !== 'string')
      violation(`\`${member}\` of ${what} is ${jsonKind(info[member])}, not a string.`);
  }
}

function requestMethod({ id, method }: Readonly<Record<string, unknown>>): string[] {
  return typeof method === 'string' && id !== undefined ? [method] : [];
}
