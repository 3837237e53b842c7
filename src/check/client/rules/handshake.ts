// What a client says when it opens a connection.

import { isObject, jsonKind } from '../../../base/json-object.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import { NEWEST_LEGACY, NEWEST_MODERN, revisionsOfMcp } from '../../../mcp/revisions.ts';
import { messagesOf } from '../../server/probe.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import type { ClientRuleRun } from '../client-rule-run.ts';
import { older, plain } from '../scenarios/index.ts';
import { LINES_BEFORE_ANSWER } from '../scenarios/versions.ts';
import type { Asked } from '../usual-answers.ts';

const initialization = { of: 'mcp', page: 'basic/lifecycle#initialization' } as const;
const perRequest = { of: 'mcp', page: 'basic/index#meta' } as const;

export const knownVersion: ClientRule = {
  id: 'client-lifecycle/known-version',
  level: 'MUST',
  title: 'name a published revision',
  says: 'A client sends a protocol version that it supports: the date of a published revision.',
  source: {
    of: 'mcp',
    page: 'basic/lifecycle#version-negotiation',
    pages: { [NEWEST_MODERN]: 'basic/versioning#protocol-version-negotiation' },
  },
  fix: { any: `Send the date of a revision as a string, such as "${NEWEST_LEGACY}".` },
  scenarios: [plain, older],
  check: (ruleRun) => {
    const sent = ruleRun.asked().filter(({ method, era }) => era === 'modern' || method === 'initialize');
    const versions = sent.map((asked) =>
      asked.era === 'modern' ? metaOf(asked)[PROTOCOL_VERSION_KEY] : asked.params.protocolVersion,
    );
    const unknown = versions.find((version) => !(revisionsOfMcp as readonly unknown[]).includes(version));
    if (versions.every((version) => (revisionsOfMcp as readonly unknown[]).includes(version))) return;
    if (typeof unknown === 'string' && /^\d{4}-\d\d-\d\d$/.test(unknown) && unknown > NEWEST_MODERN) {
      notApplicable(`the revision ${unknown} is newer than this check`);
    }
    if (typeof unknown === 'string' && /^draft/i.test(unknown)) notApplicable(`${unknown} is a draft`);
    violation(`The protocol version is ${JSON.stringify(unknown) ?? 'absent'}, which is no published revision.`);
  },
};

export const declaresCapabilities: ClientRule = {
  id: 'client-lifecycle/declares-capabilities',
  level: 'MUST',
  title: 'send its capabilities in `initialize`',
  says: 'The parameters of `initialize` have `capabilities`, an object, which is empty if the client has none.',
  source: initialization,
  fix: { any: 'Send "capabilities": {} at least.' },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: (ruleRun) => {
    for (const { params } of initializes(ruleRun)) {
      if (!isObject(params.capabilities)) violation(`\`capabilities\` is ${jsonKind(params.capabilities)}.`);
    }
  },
};

export const introducesItself: ClientRule = {
  id: 'client-lifecycle/introduces-itself',
  level: 'MUST',
  title: 'send its name and version in `initialize`',
  says: 'The parameters of `initialize` have `clientInfo` with a `name` and a `version`.',
  source: initialization,
  fix: { any: 'Send "clientInfo": {"name": "…", "version": "…"}.' },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: (ruleRun) => {
    for (const { params } of initializes(ruleRun)) requireInfo('clientInfo', params.clientInfo);
  },
};

export const waitsForAnswer: ClientRule = {
  id: 'client-lifecycle/waits-for-the-answer',
  level: 'SHOULD',
  title: 'wait for the answer to `initialize`',
  says: 'Until the server has answered `initialize`, a client sends no requests other than pings.',
  source: initialization,
  fix: { any: 'Await the result of `initialize` before the next request.' },
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
};

export const sendsInitialized: ClientRule = {
  id: 'client-lifecycle/sends-initialized',
  level: 'MUST',
  title: 'send `notifications/initialized` after the answer to `initialize`',
  says: 'After a successful initialization the client sends the notification `notifications/initialized`, before its other requests.',
  source: initialization,
  fix: {
    any: 'Send {"jsonrpc":"2.0","method":"notifications/initialized"} when the answer to `initialize` has arrived.',
  },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: (ruleRun) => {
    for (const server of ruleRun.servers) {
      const lines = server.notes.get(LINES_BEFORE_ANSWER);
      if (typeof lines !== 'number') continue;
      const later = server.messages(lines);
      const at = later.findIndex(({ method }) => method === 'notifications/initialized');
      const before = (at < 0 ? later : later.slice(0, at)).flatMap(requestMethod).find((method) => method !== 'ping');
      if (before) violation(`The client sent \`${before}\` without \`notifications/initialized\` before it.`);
      if (at < 0) notApplicable('the client did not go on after `initialize`');
    }
  },
};

export const envelope: ClientRule = {
  id: 'client-lifecycle/envelope',
  level: 'MUST',
  title: 'send the revision and its capabilities in every request',
  says: 'Every request carries `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities` in `_meta`.',
  source: perRequest,
  fix: { any: 'Add both members to `params._meta` of every request, also of those without other parameters.' },
  since: NEWEST_MODERN,
  scenarios: [plain],
  check: (ruleRun) => {
    for (const asked of modernRequests(ruleRun)) {
      const meta = metaOf(asked);
      const { method } = asked;
      if (typeof meta[PROTOCOL_VERSION_KEY] !== 'string')
        violation(`\`${method}\` has no ${PROTOCOL_VERSION_KEY} in \`_meta\`.`);
      const declared = meta[CLIENT_CAPABILITIES];
      if (!isObject(declared)) violation(`${CLIENT_CAPABILITIES} of \`${method}\` is ${jsonKind(declared)}.`);
    }
  },
};

export const namesItself: ClientRule = {
  id: 'client-lifecycle/names-itself',
  level: 'SHOULD',
  title: 'send its name and version in every request',
  says: 'Every request carries `io.modelcontextprotocol/clientInfo` in `_meta`, unless the user has turned that off.',
  source: perRequest,
  fix: { any: 'Add {"name": "…", "version": "…"} to `params._meta` of every request.' },
  since: NEWEST_MODERN,
  scenarios: [plain],
  check: (ruleRun) => {
    for (const asked of modernRequests(ruleRun)) {
      requireInfo(`${CLIENT_INFO} of \`${asked.method}\``, metaOf(asked)[CLIENT_INFO]);
    }
  },
};

function initializes(ruleRun: ClientRuleRun): Asked[] {
  const found = ruleRun.asked('initialize');
  return found.length > 0 ? found : notApplicable('the client does not send `initialize`');
}

/** All of a connection that was opened without `initialize`. */
function modernRequests(ruleRun: ClientRuleRun): Asked[] {
  const servers = ruleRun.servers.filter(({ asked }) => asked[0]?.era === 'modern');
  if (servers.length === 0) notApplicable('the client opens with `initialize`');
  return servers.flatMap(({ asked }) => asked).filter(({ method }) => method !== 'initialize' && method !== 'ping');
}

function requireInfo(what: string, info: unknown): void {
  if (!isObject(info)) violation(`${what} is ${jsonKind(info)}.`);
  for (const member of ['name', 'version']) {
    if (typeof info[member] !== 'string') violation(`\`${member}\` of ${what} is ${jsonKind(info[member])}.`);
  }
}

function requestMethod({ id, method }: Readonly<Record<string, unknown>>): string[] {
  return typeof method === 'string' && id !== undefined ? [method] : [];
}

function metaOf({ params }: Asked): Readonly<Record<string, unknown>> {
  return isObject(params._meta) ? params._meta : {};
}

export const handshakeRules = [
  knownVersion,
  declaresCapabilities,
  introducesItself,
  waitsForAnswer,
  sendsInitialized,
  envelope,
  namesItself,
];
