// Rules about the files and directories of skills (`io.modelcontextprotocol/skills`).

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { frontmatterProblem, TOO_LARGE } from '../../../../mcp/extensions/skills/frontmatter.ts';
import {
  bytesIn,
  fileProblems,
  isDigest,
  listProblems,
  type Skill,
  sha256,
  skillRoot,
} from '../../../../mcp/extensions/skills/skill.ts';
import { skills } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, INVALID_PARAMS, listIn, proofOf, refused } from '../methods/exchange.ts';
import { judgeParts, type Part } from '../methods/shape.ts';
import { surveyOf } from '../methods/survey.ts';
import {
  judgeSkills,
  listedUris,
  NO_SKILLS,
  ofSkills,
  parentOf,
  READ_DIRECTORY,
  type SkillSurvey,
  skillSettings,
  skillSurvey,
  UNKNOWN_SKILL,
} from './skill-survey.ts';

const NOT_READ = 'no file of a skill could be read';
const NO_DIRECTORIES = 'the server does not declare directories of skills';
const DIRECTORY = 'inode/directory';

const resourcesOfEntries = skills('resources');
const directories = skills('reading-directories');

export const skillFileRules = serverRows(ofSkills, [
  {
    id: 'skills/file-entries',
    title: 'list the files of a skill with digest and size',
    says: 'A file of a skill is in its directory. `digest` is "sha256:" and 64 lowercase hexadecimal digits, and `size` is a number of bytes.',
    source: resourcesOfEntries,
    fix: 'Compute SHA-256 and length of the raw bytes of each file.',
    check: async (ruleRun) => judgeSkills((await skillSurvey(ruleRun)).skills, fileProblems),
  },
  {
    id: 'skills/complete-lists',
    title: 'list every file of a skill once',
    says: '`resources` has every file of the skill once: its SKILL.md, all supporting files, and those of skills in its directory.',
    source: resourcesOfEntries,
    fix: 'List all files below the directory of the skill.',
    check: async (ruleRun) => {
      const survey = await skillSurvey(ruleRun);
      await judgeSkills(survey.skills, (skill) => [...listProblems(skill), ...missingFiles(skill, survey)]);
    },
  },
  {
    id: 'skills/files-can-be-read',
    title: 'serve each listed file as a resource',
    says: 'The SKILL.md and each listed file can be read with `resources/read`.',
    source: skills('reading-skill-content'),
    fix: 'Answer `resources/read` for the URIs that the entry lists, with `text` or `blob`.',
    check: async (ruleRun) => {
      const { reads } = await skillSurvey(ruleRun);
      if (reads.size === 0) notApplicable(NO_SKILLS);
      for (const [uri, read] of reads) {
        const reason = read.failure ?? (read.error && `Reading ${uri} was answered with ${describeError(read.error)}.`);
        if (reason) violation(reason, ...proofOf(read));
        if (!bytesIn(read.result?.contents, uri)) violation(`The contents of ${uri} are missing.`, ...proofOf(read));
      }
    },
  },
  {
    id: 'skills/digests',
    title: 'list digests and sizes of the bytes that it serves',
    says: 'Digest and size in the entry are those of the raw bytes of the file. Hosts do not use a file that differs.',
    source: skills('verification-on-read'),
    fix: 'Compute digest and size from the bytes that `resources/read` returns, without changing newlines or encoding.',
    check: async (ruleRun) => {
      const files = (await readFiles(ruleRun)).filter(({ value }) => value.listed);
      await judgeParts(files, NOT_READ, async ({ bytes, listed }) => {
        const { size, digest } = listed!;
        if (Number.isSafeInteger(size) && bytes.length !== size) return `has ${bytes.length} bytes instead of ${size}`;
        if (!isDigest(digest)) return undefined; // skills/file-entries reports this
        const actual = await sha256(bytes);
        return actual === digest ? undefined : `has the digest ${actual} instead of ${digest}`;
      });
    },
  },
  {
    id: 'skills/frontmatter',
    title: 'list the frontmatter of the SKILL.md',
    says: 'A SKILL.md begins with YAML frontmatter. `frontmatter` of the entry has the same content, with all fields.',
    source: skills('frontmatter'),
    fix: 'Parse the YAML between the first two lines `---`, and send the result unchanged.',
    check: async (ruleRun) => {
      const files = (await readFiles(ruleRun)).filter(({ value }) => value.uri === value.skill.uri);
      await judgeParts(files, NOT_READ, async ({ bytes, skill }) => {
        const problem = await frontmatterProblem(bytes, skill);
        return problem === TOO_LARGE ? undefined : problem;
      });
    },
  },
  {
    id: 'skills/resource-entries',
    level: 'SHOULD',
    title: 'list a SKILL.md as a resource with the name and description of the skill',
    says: 'A SKILL.md with the scheme `skill` in `resources/list` has the `mimeType` "text/markdown", and name and description of the frontmatter.',
    source: skills('resource-metadata'),
    fix: 'Set `mimeType`, `name` and `description` of the resource.',
    check: async (ruleRun) => {
      const found = (await skillSurvey(ruleRun)).skills.filter(({ value }) => value.uri.startsWith('skill://'));
      const byUri = new Map(found.map(({ value }) => [value.uri, value]));
      const { lists } = await surveyOf(ruleRun);
      const pages = lists.filter(({ member }) => member === 'resources').flatMap(({ pages: of }) => of);
      const listed = pages.flatMap((exchange) =>
        listIn(exchange.result, 'resources').flatMap((value) => {
          const skill = isObject(value) ? byUri.get(value.uri as string) : undefined;
          const what = `The resource ${JSON.stringify(skill?.uri)}`;
          return skill ? [{ value: { entry: value as JsonObject, skill }, what, exchange }] : [];
        }),
      );
      await judgeParts(listed, 'no SKILL.md is listed as a resource', ({ entry, skill }) => {
        const { name, description } = skill.frontmatter;
        const expected = { mimeType: 'text/markdown', name, description };
        const wrong = Object.entries(expected).find(([member, value]) => entry[member] !== value);
        return (
          wrong &&
          `has the ${wrong[0]} ${JSON.stringify(entry[wrong[0]]) ?? 'undefined'} instead of ${JSON.stringify(wrong[1])}`
        );
      });
    },
  },
  {
    id: 'skills/directories',
    title: 'return the direct children of a directory',
    says: '`resources/directory/read` answers for each directory of a skill with its direct children. Directories among them have the `mimeType` "inode/directory" and a URI without a slash at its end.',
    source: directories,
    fix: 'List the files and directories that are directly in the directory.',
    check: async (ruleRun) => {
      for (const { uri, read, files } of await readDirectories(ruleRun)) {
        const reason = read.failure ?? directoryProblem(uri, read, files);
        if (reason) violation(reason, ...proofOf(read));
      }
    },
  },
  {
    id: 'skills/complete-directories',
    level: 'ADVICE',
    title: 'return every child of a directory',
    says: '`resources/directory/read` returns all direct children. While a skill changes, a directory may be ahead of or behind the list of its files.',
    source: directories,
    fix: 'List the files and directories that are directly in the directory.',
    check: async (ruleRun) => {
      for (const { uri, read, files } of await readDirectories(ruleRun)) {
        if (!read.result || read.result.nextCursor !== undefined) continue;
        const children = listIn(read.result, 'resources').filter(isObject);
        const missing = files
          .map((file) => childOf(uri, file))
          .find((child) => !children.some((each) => each.uri === child));
        if (missing) violation(`The directory ${uri} lacks ${missing}.`, ...proofOf(read));
      }
    },
  },
  {
    id: 'skills/other-directories-are-refused',
    title: 'refuse to read other directories with -32602',
    says: '`resources/directory/read` of a URI that does not exist, or that is a file, is answered with the error -32602.',
    source: directories,
    fix: 'Answer with the error -32602.',
    uses: 'shared',
    check: async (ruleRun) => {
      if (skillSettings(ruleRun.facts).directoryRead !== true) notApplicable(NO_DIRECTORIES);
      const [file] = (await skillSurvey(ruleRun)).skills;
      for (const uri of [parentOf(UNKNOWN_SKILL), ...(file ? [file.value.uri] : [])]) {
        const what = `Reading the directory ${uri}`;
        await refused(ruleRun, what, { method: READ_DIRECTORY, params: { uri }, code: INVALID_PARAMS });
      }
    },
  },
]);

/** Files that skills in its directory list. Directories may be ahead of the list. */
function missingFiles({ uri, resources }: Skill, { skills: all }: SkillSurvey): string[] {
  if (resources === 'dynamic') return [];
  const inside = (each: unknown): each is string => typeof each === 'string' && each.startsWith(`${skillRoot(uri)}/`);
  const listed = new Set(listedUris(resources));
  const nested = all.flatMap(({ value }) => listedUris(value.resources)).filter(inside);
  const missing = nested.find((file) => !listed.has(file));
  return missing === undefined ? [] : [`\`resources\` of ${uri} lacks the file ${missing}.`];
}

interface ReadFile {
  skill: Skill;
  uri: string;
  bytes: Uint8Array;
  listed: { size: unknown; digest: unknown } | undefined;
}

/** Files that could be read, with their entries. */
async function readFiles(ruleRun: ServerRuleRun): Promise<Part<ReadFile>[]> {
  const { skills: found, reads } = await skillSurvey(ruleRun);
  return found.flatMap(({ value: skill }) =>
    [...new Set([skill.uri, ...listedUris(skill.resources)])].flatMap((uri) => {
      const exchange = reads.get(uri);
      const bytes = exchange && bytesIn(exchange.result?.contents, uri);
      if (!exchange || !bytes) return []; // skills/files-can-be-read reports this
      const listed = skill.resources === 'dynamic' ? undefined : skill.resources.find((file) => file?.uri === uri);
      return [{ value: { skill, uri, bytes, listed }, what: `The file ${uri}`, exchange }];
    }),
  );
}

/** The directories that were read, with the listed files in each. */
async function readDirectories(ruleRun: ServerRuleRun) {
  const { skills: all, directories: read } = await skillSurvey(ruleRun);
  if (read.size === 0) notApplicable(NO_DIRECTORIES);
  const files = all.flatMap(({ value }) => listedUris(value.resources));
  return [...read].map(([uri, exchange]) => ({
    uri,
    read: exchange,
    files: files.filter((file) => file.startsWith(`${uri}/`)),
  }));
}

/** The file, or the directory that contains it. */
function childOf(uri: string, file: string): string {
  return `${uri}/${file.slice(uri.length + 1).split('/')[0]}`;
}

function directoryProblem(uri: string, { error, result }: Exchange, files: readonly string[]): string | undefined {
  if (error?.code === METHOD_NOT_FOUND) return undefined; // skills/methods-are-implemented reports this
  if (error) return `Reading the directory ${uri} was answered with ${describeError(error)}.`;
  const children = listIn(result, 'resources').filter(isObject);
  const isDirectory = (child: string) => files.some((file) => file.startsWith(`${child}/`));
  const known = new Set(files.map((file) => childOf(uri, file)));
  for (const { uri: child, mimeType } of children) {
    if (typeof child !== 'string' || parentOf(child) !== uri)
      return `${JSON.stringify(child)} is not a child of ${uri}.`;
    if (isDirectory(child) !== (mimeType === DIRECTORY) && known.has(child))
      return `The child ${child} of ${uri} has the mimeType ${JSON.stringify(mimeType) ?? 'undefined'}.`;
  }
  return undefined;
}
