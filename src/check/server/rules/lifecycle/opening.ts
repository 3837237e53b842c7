// Rules about the first answer from a server: whether it comes, its version and its members.

import { isObject } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { legacyRevisions, type Revision } from '../../../../mcp/revisions.ts';
import { flush } from '../../../../wire/diagnosis/advice.ts';
import type { Fix } from '../../../rule.ts';
import { perRevision } from '../../../rule-run.ts';
import { initialization, mcp, responses } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError, readAnswer } from '../../conversation.ts';
import { wrongCapability } from '../../facts.ts';
import { initializeWith } from '../../initialize.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

const OLDER = '1999-01-01';
const NEWER = '2999-01-01';

/** Time without requests: long enough for failures of work started at launch to show. */
export const IDLE_MS = 2_000;

/** The usual cause of silence is an answer that stays in a buffer. */
const answerLines = Object.fromEntries(
  Object.entries(flush).map(([language, call]) => [
    language,
    `Read stdin line by line, and write each answer as one line. ${call} Raise --timeout if the server starts slowly. Use --litemcp for a LiteMCP server.`,
  ]),
) as Fix;

/** How a process ends that gets no request after it was opened, or while it is opened. Undefined if it keeps running. */
export const idleEnd = perRevision(async (ruleRun: ServerRuleRun) => {
  const probe = await ruleRun.start();
  let when = `within ${IDLE_MS / 1000} s after it was opened`;
  await ruleRun.openOn(probe).catch((error: unknown) => {
    if (!probe.endedByItself) throw error;
    when = 'before it was opened';
  });
  if (!(await probe.exitStatus(IDLE_MS))) return undefined;
  return { how: `${await probe.howItEnded()} ${when}`, proof: probe.transcript.entries };
});

const offerForOlder = perRevision((ruleRun: ServerRuleRun) => initializeWith(ruleRun, OLDER));

const startRules = serverRows({ level: 'MUST', uses: 'own', isAboutIdleEnd: true }, [
  {
    id: 'lifecycle/opens',
    title: 'answer its first requests',
    says: 'A client opens a connection with `initialize`, or since 2026-07-28 with any request. The server answers with the revision that it uses, and then answers further requests.',
    source: mcp('basic/lifecycle#initialization', { '2026-07-28': 'server/discover' }),
    fix: answerLines,
    runs: 'each revision',
    check: async (ruleRun) => {
      await ruleRun.open();
    },
  },
  {
    id: 'lifecycle/keeps-running',
    title: 'keep running while its stdin is open',
    says: 'Every request gets an answer. A server that exits by itself while its client is connected leaves requests unanswered.',
    source: responses,
    fix: {
      node: 'Read the error on stderr. Catch errors of timers and of promises that are not awaited: they end the process.',
      python: 'Read the traceback on stderr. Read stdin in a loop until its end, and catch the errors of other tasks.',
      any: 'Read the error on stderr. Run until the end of stdin, and catch the errors of background work.',
    },
    runs: 'once',
    check: async (ruleRun) => {
      const end = await idleEnd(ruleRun);
      if (end) violation(`Without a request, ${end.how}.`, ...end.proof);
    },
  },
]);

const negotiation = {
  level: 'MUST',
  source: mcp('basic/lifecycle#version-negotiation'),
  fix: 'Keep a list of the versions that the server supports. Answer with the requested version if it is in the list, otherwise with the newest version of the list. Do not copy the requested version into the answer.',
  until: '2025-11-25',
  runs: 'once',
  uses: 'own',
} as const;

const versionRules = serverRows(negotiation, [
  {
    id: 'lifecycle/known-versions',
    title: 'answer a published version with that version or another supported one',
    says: 'A server that supports the requested version answers with the same version, otherwise with another version that it supports.',
    check: async (ruleRun) => {
      for (const revision of legacyRevisions) {
        const revisionRun = ruleRun.revisionRuns.find((each) => each.revision === revision);
        if (revisionRun?.isOpen) continue;
        const first = revisionRun?.observed[0];
        if (revisionRun?.problem) violation(revisionRun.problem.message, ...(first?.transcript.entries ?? []));
        const frame = first?.answersTo(1)[0];
        const answer = frame ? readAnswer(frame, 1) : await initializeWith(ruleRun, revision);
        await offersWhatItSupports(ruleRun, revision, answer);
      }
    },
  },
  {
    id: 'lifecycle/unknown-version',
    title: 'not accept a version that never existed',
    says: 'If the server does not support the requested version, it answers with another version that it supports.',
    check: async (ruleRun) => offersWhatItSupports(ruleRun, OLDER, await offerForOlder(ruleRun)),
  },
  {
    id: 'lifecycle/future-version',
    title: 'not accept a version that does not exist yet',
    says: 'A version newer than all supported versions is answered with a supported version.',
    check: async (ruleRun) => offersWhatItSupports(ruleRun, NEWER, await initializeWith(ruleRun, NEWER)),
  },
  {
    id: 'lifecycle/offers-a-version',
    level: 'SHOULD',
    title: 'answer an unknown version with another version, not with an error',
    says: 'The server offers a version that it supports, so that the client can accept it or disconnect. After an error the client has no choice.',
    check: async (ruleRun) => {
      const { error, frame } = await offerForOlder(ruleRun);
      if (error) violation(`The version ${OLDER} was refused with the error ${describeError(error)}.`, frame);
    },
  },
]);

const firstAnswer = {
  level: 'MUST',
  source: initialization,
  until: '2025-11-25',
  runs: 'each revision',
  uses: 'seen',
} as const;

const memberRules = serverRows(firstAnswer, [
  {
    id: 'lifecycle/capabilities',
    title: 'answer `initialize` with capabilities',
    says: 'The server answers `initialize` with `capabilities`, an object. Each capability that the specification defines is an object too.',
    fix: 'Answer with "capabilities": {"tools": {}, …}. A capability is an object, not true; leave out capabilities that the server lacks.',
    check: (ruleRun) => {
      const { capabilities } = ruleRun.facts.opening;
      if (!isObject(capabilities)) lacks(ruleRun, 'capabilities');
      const wrong = wrongCapability(capabilities);
      if (wrong) violation(`The capability \`${wrong}\` is not an object.`, ...proof(ruleRun));
    },
  },
  {
    id: 'lifecycle/server-info',
    title: 'answer `initialize` with its name and version',
    says: 'The server answers `initialize` with `serverInfo`, which has the strings `name` and `version`.',
    fix: 'Answer with "serverInfo": {"name": "…", "version": "…"}. Both are strings.',
    check: (ruleRun) => {
      const { serverInfo } = ruleRun.facts.opening;
      if (!isObject(serverInfo)) lacks(ruleRun, 'serverInfo');
      for (const member of ['name', 'version']) {
        if (typeof serverInfo[member] !== 'string')
          violation(`\`${member}\` of \`serverInfo\` is not a string.`, ...proof(ruleRun));
      }
    },
  },
  {
    id: 'lifecycle/instructions',
    title: 'send instructions as a string',
    says: 'The answer to `initialize` may have `instructions`, a string.',
    fix: 'Answer with "instructions" as one string, or leave it out. It must not be null or an array.',
    check: (ruleRun) => {
      const { instructions } = ruleRun.facts.opening;
      if (instructions === undefined || typeof instructions === 'string') return;
      violation('`instructions` is not a string.', ...proof(ruleRun));
    },
  },
]);

export const openingRules = [...startRules, ...versionRules, ...memberRules];

async function offersWhatItSupports(ruleRun: ServerRuleRun, asked: string, { result, frame }: Answer): Promise<void> {
  const isPublished = asked !== OLDER && asked !== NEWER;
  if (!result) return isPublished ? undefined : notApplicable('the server refuses it (lifecycle/offers-a-version)');
  const offered = result.protocolVersion;
  if (typeof offered !== 'string') {
    violation(`The answer to \`initialize\` ${wrongMember(result, 'protocolVersion')}.`, frame);
  }
  if (offered === asked) {
    return isPublished
      ? undefined
      : violation(`The server accepted the version ${asked}, which does not exist.`, frame);
  }
  if (ruleRun.revisionRuns.some((revisionRun) => revisionRun.isOpen && revisionRun.revision === (offered as Revision)))
    return;
  const again = await initializeWith(ruleRun, offered);
  if (again.result?.protocolVersion === offered) return;
  violation(`The server answered ${asked} with ${offered}, which it does not accept either.`, frame, again.frame);
}

function lacks(ruleRun: ServerRuleRun, member: string): never {
  violation(`The answer to \`initialize\` ${wrongMember(ruleRun.facts.opening, member)}.`, ...proof(ruleRun));
}

function proof({ seen }: ServerRuleRun) {
  return seen[0]?.answersTo(1).slice(0, 1) ?? [];
}
