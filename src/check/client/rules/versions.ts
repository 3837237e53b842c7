// What a client does with servers of other versions than its own.

import { NEWEST_LEGACY, NEWEST_MODERN } from '../../../mcp/revisions.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import { endOf, endsWithError } from '../client-rule-run.ts';
import { askedIn, messagesIn } from '../scenario.ts';
import { modernOnly, older, refusesDiscover, silentOnDiscover, unknownVersion } from '../scenarios/index.ts';
import { OLDER_REVISION, UNKNOWN_REVISION } from '../scenarios/versions.ts';

const negotiation = {
  of: 'mcp',
  page: 'basic/lifecycle#version-negotiation',
  pages: { [NEWEST_MODERN]: 'basic/versioning#protocol-version-negotiation' },
} as const;
const compatibility = { of: 'mcp', page: 'basic/transports/stdio#backward-compatibility' } as const;

export const acceptsOlder: ClientRule = {
  id: 'client-lifecycle/accepts-an-older-version',
  level: 'ADVICE',
  title: 'accept a server of an older version',
  says: 'A server that does not support the version of the client answers with another one. A client may disconnect then, but most servers are older than the clients that use them.',
  source: { of: 'standpipe' },
  fix: { any: `Compare the version in the answer with all that you support, ${OLDER_REVISION} among them.` },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: (ruleRun) => {
    const run = ruleRun.run();
    const [asked] = askedIn(run, 'initialize');
    if (!asked) notApplicable('the client does not send `initialize`');
    if (String(asked.params.protocolVersion) < OLDER_REVISION)
      notApplicable(`the client is older than ${OLDER_REVISION}`);
    ruleRun.goesOnAfter('initialize', `After the answer with the version ${OLDER_REVISION}`);
  },
};

export const leavesUnknown: ClientRule = {
  id: 'client-lifecycle/leaves-an-unknown-version',
  level: 'SHOULD',
  title: 'disconnect from a server of an unsupported version',
  says: 'If the client does not support the version in the answer of the server, it disconnects.',
  source: negotiation,
  fix: {
    any: 'Compare the version in the answer with those that you support. Close the connection and report the error if it is none of them.',
  },
  scenarios: [unknownVersion],
  check: (ruleRun) => {
    const run = ruleRun.run();
    const used = messagesIn(run).find(({ method }) => method === 'tools/call' || method === INITIALIZED);
    if (used && askedIn(run).some(({ method }) => opening.includes(method))) {
      violation(
        `The server chose the version ${UNKNOWN_REVISION}, and the client went on with \`${String(used.method)}\`.`,
      );
    }
    if (!run.clientRun.exitStatus) violation(`The client did not disconnect. ${endOf(run)}`);
  },
};

const INITIALIZED = 'notifications/initialized';
const opening = ['initialize', 'server/discover'];

export const modernServer: ClientRule = {
  id: 'client-lifecycle/modern-server',
  level: 'ADVICE',
  title: 'work with a server of 2026-07-28 alone, or end with an error',
  says: `A server of ${NEWEST_MODERN} alone refuses \`initialize\`. A client that supports this revision works with it; an older one reports the error.`,
  source: {
    of: 'mcp',
    page: 'basic/lifecycle#error-handling',
    pages: { [NEWEST_MODERN]: 'basic/versioning#compatibility-matrix' },
  },
  fix: {
    any: 'Treat an error as the answer to `initialize` as the end of the connection, and show its message: it names the versions of the server.',
  },
  scenarios: [modernOnly],
  check: (ruleRun) => {
    const run = ruleRun.run();
    if (askedIn(ruleRun.plain)[0]?.era === 'modern')
      return ruleRun.goesOnAfter('initialize', 'Although the server is modern');
    endsWithError(run, `A server of ${NEWEST_MODERN} refused \`initialize\``);
  },
};

export const legacyServer: ClientRule = {
  id: 'client-lifecycle/legacy-server',
  level: 'SHOULD',
  title: 'fall back to `initialize` with a server that has no `server/discover`',
  says: 'An error as the answer to `server/discover` that is not of this revision means that the server is older. The client falls back to `initialize`, or reports an error if it supports no older revision.',
  source: compatibility,
  fix: { any: 'Send `initialize` when `server/discover` is refused.' },
  since: NEWEST_MODERN,
  scenarios: [older],
  check: (ruleRun) => {
    const run = ruleRun.run();
    if (askedIn(run, 'initialize').length === 0) endsWithError(run, 'The server is older than 2026-07-28');
  },
};

export const fallsBackOnAnyError: ClientRule = {
  id: 'client-lifecycle/falls-back-on-any-error',
  level: 'MUST',
  title: 'fall back to `initialize` on any error code',
  says: 'Older servers refuse a request before `initialize` with different codes. The fallback is not bound to one of them.',
  source: compatibility,
  fix: { any: 'Fall back to `initialize` on every error that is not one of this revision, such as -32022.' },
  since: NEWEST_MODERN,
  scenarios: [older, refusesDiscover],
  check: (ruleRun) => {
    if (askedIn(ruleRun.run(older), 'initialize').length === 0) notApplicable('the client supports no older revision');
    if (askedIn(ruleRun.run(refusesDiscover), 'initialize').length === 0) {
      violation('The client fell back to `initialize` after the error -32601, but not after -32602.');
    }
  },
};

export const fallsBackOnSilence: ClientRule = {
  id: 'client-lifecycle/falls-back-on-silence',
  level: 'SHOULD',
  title: 'fall back to `initialize` when `server/discover` is not answered',
  says: 'Some older servers do not answer requests before `initialize`. After a reasonable time without an answer the client falls back.',
  source: compatibility,
  fix: { any: 'Wait for the answer to `server/discover` for a few seconds only, then send `initialize`.' },
  since: NEWEST_MODERN,
  scenarios: [older, silentOnDiscover],
  check: (ruleRun) => {
    if (askedIn(ruleRun.run(older), 'initialize').length === 0) notApplicable('the client supports no older revision');
    const run = ruleRun.run(silentOnDiscover);
    if (askedIn(run, 'initialize').length > 0) return;
    // The specification leaves the time to the client.
    if (!run.clientRun.exitStatus)
      notApplicable(`the client ${run.clientRun.stopped} and may wait longer: raise --timeout`);
    violation(`The client did not send \`initialize\` although \`server/discover\` was not answered. ${endOf(run)}`);
  },
};

export const versionRules = [
  acceptsOlder,
  leavesUnknown,
  modernServer,
  legacyServer,
  fallsBackOnAnyError,
  fallsBackOnSilence,
];
