// Which version a server answers with.

import { wrongMember } from '../../../../base/wrong-member.ts';
import { legacyRevisions, type Revision } from '../../../../mcp/revisions.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError, readAnswer } from '../../conversation.ts';
import { initializeWith } from '../../initialize.ts';
import { perRevision } from '../../per-revision.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

const OLDER = '1999-01-01';
const NEWER = '2999-01-01';

const common = {
  level: 'MUST',
  source: { of: 'mcp', page: 'basic/lifecycle#version-negotiation' },
  fix: {
    any: 'Keep a list of the versions that the server supports. If the requested one is in it, answer with it; otherwise answer with the newest of the list. Never answer with a version because it was requested.',
  },
  until: '2025-11-25',
  runs: 'once',
  uses: 'own',
} as const satisfies Partial<ServerRule>;

export const knownVersions: ServerRule = {
  ...common,
  id: 'lifecycle/known-versions',
  title: 'answer each published version with that version or with one that it supports',
  says: 'A server that supports the requested version answers with the same version, otherwise with another one that it supports.',
  check: async (ruleRun) => {
    for (const revision of legacyRevisions) {
      const revisionRun = ruleRun.revisionRuns.find((each) => each.revision === revision);
      if (revisionRun?.isOpen) continue;
      if (revisionRun?.problem)
        violation(revisionRun.problem.message, ...(revisionRun.observed[0]?.transcript.entries ?? []));
      const frame = revisionRun?.observed[0]?.answersTo(1)[0];
      await offersWhatItSupports(
        ruleRun,
        revision,
        frame ? readAnswer(frame, 1) : await initializeWith(ruleRun, revision),
      );
    }
  },
};

const offerForOlder = perRevision((ruleRun) => initializeWith(ruleRun, OLDER));

export const unknownVersion: ServerRule = {
  ...common,
  id: 'lifecycle/unknown-version',
  title: 'not accept a version that never existed',
  says: 'If the server does not support the requested version, it answers with another one that it supports.',
  check: async (ruleRun) => offersWhatItSupports(ruleRun, OLDER, await offerForOlder(ruleRun)),
};

export const futureVersion: ServerRule = {
  ...common,
  id: 'lifecycle/future-version',
  title: 'not accept a version that does not exist yet',
  says: 'A version that is newer than all that the server supports is answered with one that it supports.',
  check: async (ruleRun) => offersWhatItSupports(ruleRun, NEWER, await initializeWith(ruleRun, NEWER)),
};

export const offersVersion: ServerRule = {
  ...common,
  id: 'lifecycle/offers-a-version',
  level: 'SHOULD',
  title: 'answer an unknown version with another version, not with an error',
  says: 'The server offers a version that it supports, so that the client can decide. An error leaves the client without a choice.',
  check: async (ruleRun) => {
    const { error, frame } = await offerForOlder(ruleRun);
    if (error) violation(`The version ${OLDER} was refused with the error ${describeError(error)}.`, frame);
  },
};

async function offersWhatItSupports(ruleRun: ServerRuleRun, asked: string, { result, frame }: Answer): Promise<void> {
  if (!result) {
    if (asked === OLDER || asked === NEWER) notApplicable('the server refuses it (lifecycle/offers-a-version)');
    return;
  }
  const offered = result.protocolVersion;
  if (typeof offered !== 'string') {
    violation(`The answer to \`initialize\` ${wrongMember(result, 'protocolVersion')}.`, frame);
  }
  if (offered === asked) {
    if (asked === OLDER || asked === NEWER) violation(`The server accepted the version ${asked}.`, frame);
    return;
  }
  if (ruleRun.revisionRuns.some((revisionRun) => revisionRun.isOpen && revisionRun.revision === (offered as Revision)))
    return;
  const again = await initializeWith(ruleRun, offered);
  if (again.result?.protocolVersion === offered) return;
  violation(`The server answered ${asked} with ${offered}, which it does not accept either.`, frame, again.frame);
}
