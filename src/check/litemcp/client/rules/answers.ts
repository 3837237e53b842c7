// Rules about what a client does with answers that differ from the usual ones.

import { notApplicable, violation } from '../../../verdict.ts';
import { askedIn, type LiteClientRule } from '../lite-client-rule.ts';
import type { LiteRun } from '../lite-scenario.ts';
import {
  crashing,
  crashingAtStart,
  extended,
  failing,
  large,
  noisy,
  OTHER_TOOL,
  printed,
  slow,
  sparse,
  strangers,
  talkative,
} from '../scenarios.ts';

const users = { of: 'standpipe' } as const;

export const severalLines: LiteClientRule = {
  id: 'litemcp-client/answers-over-several-lines',
  level: 'ADVICE',
  title: 'read answers of several lines',
  says: 'The specification prints its messages over several lines. A client reads JSON of any layout, also if it arrives in pieces.',
  source: users,
  fix: { any: 'Collect the output of the server until three newlines in a row, and then parse it.' },
  scenarios: [printed],
  check: (ruleRun) => ruleRun.goesOn('After answers over several lines'),
};

export const optionalFields: LiteClientRule = {
  id: 'litemcp-client/optional-fields',
  level: 'SHOULD',
  title: 'accept absent optional fields',
  says: 'Description and example of a tool and of its parameters are optional.',
  source: { of: 'litemcp' },
  fix: { any: 'Treat a description or an example that is absent or null as an empty text.' },
  scenarios: [sparse],
  check: (ruleRun) => ruleRun.goesOn('After a tool without description and examples'),
};

export const matchesIds: LiteClientRule = {
  id: 'litemcp-client/answers-are-matched-by-id',
  level: 'SHOULD',
  title: 'match answers by their id',
  says: 'The id of an answer is that of its request, so that answers are not confused. One with another id may be late, or for another request.',
  source: { of: 'litemcp' },
  fix: { any: 'Compare the id of each answer with those of the open requests, and skip an answer with another id.' },
  scenarios: [strangers],
  check: (ruleRun) => {
    const tools = ruleRun.runs.flatMap(askedIn).map(({ data }) => data.tool);
    if (tools.includes(OTHER_TOOL)) violation('The client took an answer with another id for its own.');
    ruleRun.goesOn('After answers with other ids');
  },
};

export const unknownMembers: LiteClientRule = {
  id: 'litemcp-client/unknown-members',
  level: 'ADVICE',
  title: 'ignore unknown members',
  says: 'A later version of the protocol may add members to messages.',
  source: users,
  fix: { any: 'Turn off the option of the JSON library that refuses unknown members.' },
  scenarios: [extended],
  check: (ruleRun) => ruleRun.goesOn('After answers with unknown members'),
};

export const survivesNoise: LiteClientRule = {
  id: 'litemcp-client/survives-noise',
  level: 'ADVICE',
  title: 'skip other text on stdout',
  says: 'Libraries of a server print warnings and banners. Such a line is in one frame with the answer that follows it.',
  source: users,
  fix: { any: 'Skip lines before the one that begins with a brace, and frames without one.' },
  scenarios: [noisy],
  check: (ruleRun) => ruleRun.goesOn('After text that is not a message'),
};

export const waits: LiteClientRule = {
  id: 'litemcp-client/waits-for-slow-answers',
  level: 'ADVICE',
  title: 'wait for slow answers',
  says: 'A server may need seconds to start, and a call takes as long as its tool.',
  source: users,
  fix: { any: 'Wait at least 10 s for an answer.' },
  scenarios: [slow],
  check: (ruleRun) => ruleRun.goesOn('After answers that took 1.5 s'),
};

export const largeAnswer: LiteClientRule = {
  id: 'litemcp-client/large-answer',
  level: 'ADVICE',
  title: 'read large answers',
  says: 'A message has any length. The result of a tool may be a file.',
  source: users,
  fix: { any: 'Read in blocks of any size until three newlines; do not limit a line or a message to some kilobytes.' },
  scenarios: [large],
  check: (ruleRun) => ruleRun.goesOn('After an answer of 1 MiB'),
};

export const readsStderr: LiteClientRule = {
  id: 'litemcp-client/stderr-is-read',
  level: 'ADVICE',
  title: 'read stderr of the server, or do not pipe it',
  says: 'A server may write logs to stderr. A pipe that is not read becomes full, and then the server stops.',
  source: users,
  fix: {
    python: 'Leave out stderr=PIPE, or read it in a thread.',
    node: "Use 'inherit' or 'ignore' for stderr, or call child.stderr.resume().",
    any: 'Inherit stderr, or read it while the server runs.',
  },
  scenarios: [talkative],
  check: ({ servers }) => {
    if (servers.some(({ notes }) => notes.has('stderr is full'))) violation('The client did not read 1 MiB of stderr.');
  },
};

export const failedCall: LiteClientRule = {
  id: 'litemcp-client/failed-call',
  level: 'ADVICE',
  title: 'end the server also after a failed call',
  says: 'A failed call is a result like others, with "error" true. The server can be used further, and is stopped as usual.',
  source: users,
  fix: { any: 'Read "error" of the response, and close the server in all cases.' },
  scenarios: [failing],
  check: ({ runs: [run], plain }) => {
    if (!run!.clientRun.exitStatus) violation('After a failed call the client did not exit.');
    if (closesStdin(plain) && !closesStdin(run!)) violation('After a failed call the client did not close stdin.');
  },
};

function closesStdin({ servers }: LiteRun): boolean {
  return servers.every(({ server }) => server.has('stdin ended'));
}

export const noticesTheEnd: LiteClientRule = {
  id: 'litemcp-client/notices-the-end-of-the-server',
  level: 'ADVICE',
  title: 'report a server that has exited',
  says: 'A server that exits answers no more. The client reports that instead of waiting, and exits with another code than 0.',
  source: users,
  fix: { any: 'End the wait for an answer with an error when stdout of the server ends.' },
  scenarios: [crashing, crashingAtStart],
  check: ({ runs }) => {
    for (const { clientRun, servers, scenario } of runs) {
      if (!servers.some(({ server }) => server.has('exits'))) notApplicable('the client did not call the tool');
      const when = scenario === crashing ? 'in a call' : 'before the answer to "get"';
      if (!clientRun.exitStatus) violation(`The server exited ${when}, and the client waited on.`);
      if (clientRun.exitStatus.exitCode === 0)
        violation(`The server exited ${when}, and the client exited with code 0.`);
    }
  },
};

export const answerRules = [
  severalLines,
  optionalFields,
  matchesIds,
  unknownMembers,
  survivesNoise,
  waits,
  largeAnswer,
  readsStderr,
  failedCall,
  noticesTheEnd,
];
