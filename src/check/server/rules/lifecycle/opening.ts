// The members of the answer to `initialize`.

import { isObject } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { wrongCapability } from '../wrong-capability.ts';

const common = {
  level: 'MUST',
  source: { of: 'mcp', page: 'basic/lifecycle#initialization' },
  until: '2025-11-25',
  runs: 'each revision',
  uses: 'seen',
} as const satisfies Partial<ServerRule>;

export const capabilitiesObject: ServerRule = {
  ...common,
  id: 'lifecycle/capabilities',
  title: 'answer `initialize` with capabilities',
  says: 'The server answers `initialize` with `capabilities`, an object. Each capability that the specification defines is an object too.',
  fix: {
    any: 'Answer with "capabilities": {"tools": {}, …}. A capability is an object, not true; leave out those that are missing.',
  },
  check: (ruleRun) => {
    const { capabilities } = ruleRun.facts.opening;
    if (!isObject(capabilities)) lacks(ruleRun, 'capabilities');
    const wrong = wrongCapability(capabilities);
    if (wrong) violation(`The capability \`${wrong}\` is not an object.`, ...proof(ruleRun));
  },
};

export const serverInfo: ServerRule = {
  ...common,
  id: 'lifecycle/server-info',
  title: 'answer `initialize` with its name and version',
  says: 'The server answers `initialize` with `serverInfo`, which has the strings `name` and `version`.',
  fix: { any: 'Answer with "serverInfo": {"name": "…", "version": "…"}. Both are strings.' },
  check: (ruleRun) => {
    const { serverInfo } = ruleRun.facts.opening;
    if (!isObject(serverInfo)) lacks(ruleRun, 'serverInfo');
    for (const member of ['name', 'version']) {
      if (typeof serverInfo[member] !== 'string')
        violation(`\`serverInfo\` has no text \`${member}\`.`, ...proof(ruleRun));
    }
  },
};

export const instructions: ServerRule = {
  ...common,
  id: 'lifecycle/instructions',
  title: 'send instructions as text',
  says: 'The answer to `initialize` may have `instructions`, which are a string.',
  fix: { any: 'Answer with "instructions" as one string, or leave it out. It is not null and not a list.' },
  check: (ruleRun) => {
    const { instructions } = ruleRun.facts.opening;
    if (instructions === undefined || typeof instructions === 'string') return;
    violation('`instructions` is not a string.', ...proof(ruleRun));
  },
};

function lacks(ruleRun: ServerRuleRun, member: string): never {
  violation(`The answer to \`initialize\` ${wrongMember(ruleRun.facts.opening, member)}.`, ...proof(ruleRun));
}

function proof({ seen }: ServerRuleRun) {
  return seen[0]?.answersTo(1).slice(0, 1) ?? [];
}
