// Rules about the entries of skills (`io.modelcontextprotocol/skills`), and the methods that return them.

import type { JsonObject } from '../../../../base/json-object.ts';
import { formProblems, limitProblems, nameProblems, type Skill } from '../../../../mcp/extensions/skills/skill.ts';
import { skills } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import { exchange, INVALID_PARAMS, proofOf, refused } from '../methods/exchange.ts';
import { isUri } from '../methods/uri-text.ts';
import {
  judgeSkills,
  listedUris,
  NO_SKILLS,
  ofSkills,
  READ_DIRECTORY,
  skillSettings,
  skillSurvey,
  UNKNOWN_SKILL,
} from './skill-survey.ts';

const GET = 'skills/get';

const mapping = skills('resource-mapping');

export const skillEntryRules = serverRows(ofSkills, [
  {
    id: 'skills/resources-are-declared',
    title: 'declare resources beside skills',
    says: 'The files of skills are resources: a server that declares skills also declares the capability `resources`.',
    source: skills('capability-negotiation'),
    fix: 'Declare `resources: {}`.',
    check: ({ facts }) => {
      skillSettings(facts);
      if (!facts.capabilities.resources) violation('The server declares skills, and not `resources`.');
    },
  },
  {
    id: 'skills/methods-are-implemented',
    title: 'implement the methods of skills that it declares',
    says: 'A server that declares skills has `skills/list`, which returns a list, and `skills/get`. With `directoryRead: true` it has `resources/directory/read` too.',
    source: skills('capability-negotiation'),
    fix: 'Implement the method, or do not declare it.',
    uses: 'shared',
    check: async (ruleRun) => {
      const { lists } = await skillSurvey(ruleRun);
      for (const page of lists) {
        const reason =
          page.failure ?? (page.error && `\`skills/list\` was answered with ${describeError(page.error)}.`);
        if (reason) violation(reason, ...proofOf(page));
        if (!Array.isArray(page.result?.skills))
          violation('A result of `skills/list` has no list `skills`.', ...proofOf(page));
      }
      const { directoryRead } = skillSettings(ruleRun.facts);
      for (const method of directoryRead === true ? [GET, READ_DIRECTORY] : [GET]) {
        const made = await exchange(ruleRun, method, { uri: UNKNOWN_SKILL });
        if (made.failure) violation(made.failure, ...proofOf(made));
        if (made.error?.code === METHOD_NOT_FOUND)
          violation(`The server does not know \`${method}\`.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'skills/results',
    title: 'include `resultType` and cache hints in results about skills',
    says: 'Results of `skills/list`, `skills/get` and `resources/directory/read` have the `resultType` "complete". Those of the first two have `ttlMs` and `cacheScope`.',
    source: skills('listing-skills'),
    fix: 'Add `"resultType": "complete"`, `"ttlMs"` and `"cacheScope"` to the results.',
    check: async (ruleRun) => {
      const { lists, gets, directories: read } = await skillSurvey(ruleRun);
      for (const made of [...lists, ...gets, ...read.values()]) {
        const { result } = made;
        if (!result) continue;
        const wrong =
          result.resultType !== 'complete'
            ? '`resultType` "complete"'
            : made.method === READ_DIRECTORY || isCacheable(result)
              ? undefined
              : '`ttlMs` and `cacheScope`';
        if (wrong) violation(`A result of \`${made.method}\` lacks ${wrong}.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'skills/entries',
    title: 'describe skills completely',
    says: 'An entry has the `uri` of the SKILL.md, `frontmatter` with `name` and `description`, and `resources`, a list of files or "dynamic".',
    source: skills('skill-entries'),
    fix: 'Write `{"uri": "skill://…/SKILL.md", "frontmatter": {"name": …, "description": …}, "resources": […]}`.',
    check: async (ruleRun) => judgeSkills((await skillSurvey(ruleRun)).entries, formProblems),
  },
  {
    id: 'skills/names',
    title: 'give the directory of a skill the name of the skill',
    says: 'The last directory before `/SKILL.md` in the URI of a skill is its `name`.',
    source: mapping,
    fix: 'Rename the directory, or the `name` in the frontmatter.',
    check: async (ruleRun) => judgeSkills((await skillSurvey(ruleRun)).skills, nameProblems),
  },
  {
    id: 'skills/frontmatter-fields',
    title: 'obey the limits of Agent Skills for names and descriptions',
    says: 'A `name` has 1 to 64 lowercase letters, digits and single hyphens, which are not at its ends. A `description` has 1 to 1024 characters.',
    source: skills('skill-format'),
    fix: 'Rename the skill, or shorten its description.',
    check: async (ruleRun) =>
      judgeSkills((await skillSurvey(ruleRun)).skills, ({ frontmatter: { name, description }, uri }) => {
        const isName = name.length <= 64 && /^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u.test(name);
        if (!isName) return [`The name ${JSON.stringify(name)} of ${uri} is not a name of Agent Skills.`];
        const { length } = [...description];
        return length >= 1 && length <= 1024 ? [] : [`The description of ${uri} has ${length} characters.`];
      }),
  },
  {
    id: 'skills/unique-names',
    level: 'SHOULD',
    title: 'give each skill a unique name',
    says: 'Names are unique within the list of a server.',
    source: skills('names'),
    fix: 'Rename one of the skills.',
    check: async (ruleRun) => {
      const found = (await skillSurvey(ruleRun)).skills;
      const byName = new Map<string, string>();
      await judgeSkills(found, ({ uri, frontmatter: { name } }) => {
        const other = byName.get(name) ?? uri;
        byName.set(name, other);
        return other === uri ? [] : [`${other} and ${uri} have the same name.`];
      });
    },
  },
  {
    id: 'skills/uris',
    level: 'SHOULD',
    title: 'use valid URIs for skills',
    says: 'The first segment of a `skill://` URI is a registered name of RFC 3986, and the others are path segments: other characters are percent-encoded.',
    source: mapping,
    fix: 'Percent-encode spaces and non-ASCII characters. Use letters, digits and hyphens in the first segment.',
    check: async (ruleRun) =>
      judgeSkills((await skillSurvey(ruleRun)).skills, ({ uri, resources }) => {
        const wrong = [uri, ...listedUris(resources)].find((each) => !isSkillUri(each));
        return wrong === undefined ? [] : [`${JSON.stringify(wrong)} does not conform to RFC 3986.`];
      }),
  },
  {
    id: 'skills/limits',
    level: 'SHOULD',
    title: 'not serve skills with more than 512 files or 16 MiB',
    says: 'Hosts support skills of up to 512 files and 16 MiB. They may refuse larger ones.',
    source: skills('limits'),
    fix: 'Split the skill, or serve large files as other resources.',
    check: async (ruleRun) => judgeSkills((await skillSurvey(ruleRun)).skills, limitProblems),
  },
  {
    id: 'skills/listed-skills-can-be-got',
    title: 'answer `skills/get` for each listed skill',
    says: '`skills/get` returns the entry of the skill whose SKILL.md has the URI.',
    source: skills('getting-a-skill'),
    fix: 'Return `{"skill": …}` with the entry that `skills/list` has for this URI.',
    check: async (ruleRun) => {
      const { gets } = await skillSurvey(ruleRun);
      if (gets.length === 0) notApplicable(NO_SKILLS);
      for (const made of gets) {
        if (made.error?.code === METHOD_NOT_FOUND) notApplicable(`the server does not have \`${GET}\``);
        const what = `\`skills/get\` of ${JSON.stringify(made.params.uri)}`;
        const reason = made.failure ?? (made.error && `${what} was answered with ${describeError(made.error)}.`);
        if (reason) violation(reason, ...proofOf(made));
        const skill = made.result?.skill;
        const [problem] = formProblems(skill);
        if (problem) violation(problem, ...proofOf(made));
        if ((skill as Skill).uri !== made.params.uri) violation(`${what} returned another skill.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'skills/unknown-skills-are-refused',
    title: 'refuse unknown skills with -32602',
    says: '`skills/get` with a URI that is not that of a skill is answered with the error -32602.',
    source: skills('getting-a-skill'),
    fix: 'Answer with the error -32602.',
    uses: 'shared',
    check: async (ruleRun) => {
      skillSettings(ruleRun.facts);
      const params = { uri: UNKNOWN_SKILL };
      await refused(ruleRun, 'An unknown skill', { method: GET, params, code: INVALID_PARAMS });
    },
  },
]);

/** In a URI with the scheme `skill`, a registered name of RFC 3986 follows the scheme. */
function isSkillUri(uri: string): boolean {
  return isUri(uri) && (!uri.startsWith('skill:') || /^skill:\/\/[\w.~!$&'()*+,;=%-]*(?:\/|$)/.test(uri));
}

function isCacheable({ ttlMs, cacheScope }: JsonObject): boolean {
  return typeof ttlMs === 'number' && ttlMs >= 0 && (cacheScope === 'public' || cacheScope === 'private');
}
