// The skills that a server lists, with their files and directories as it returns them.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { declaredExtensions } from '../../../../mcp/extensions/extension.ts';
import { isSkill, SKILLS, type Skill, skillRoot } from '../../../../mcp/extensions/skills/skill.ts';
import { perRevision } from '../../../rule-run.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Facts } from '../../facts.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, exchangeIn, listIn, proofOf } from '../methods/exchange.ts';
import type { Part } from '../methods/shape.ts';
import { walk } from '../methods/survey.ts';

export interface SkillSurvey {
  readonly lists: readonly Exchange[];
  /** All entries of the list as the server wrote them. */
  readonly entries: readonly Part[];
  /** Entries of the right form. */
  readonly skills: readonly Part<Skill>[];
  /** The results of `skills/get` for some of the skills. */
  readonly gets: readonly Exchange[];
  /** Files by URI: the files of some skills, and the SKILL.md of each with generated files. */
  readonly reads: ReadonlyMap<string, Exchange>;
  /** Directories of some skills by URI. Empty if the server does not declare them. */
  readonly directories: ReadonlyMap<string, Exchange>;
}

/** Limits of the requests, and of the bytes that are read. */
const MOST_SKILLS = 12;
const MOST_FILES = 64;
const MOST_DIRECTORIES = 32;
const MOST_BYTES = 8 * 1024 * 1024;

export const NO_SKILLS = 'the server lists no skills';
export const READ_DIRECTORY = 'resources/directory/read';
export const UNKNOWN_SKILL = 'skill://standpipe-unknown/SKILL.md';

export const ofSkills = { level: 'MUST', since: '2026-07-28', runs: 'once', uses: 'own' } as const;

/** The settings of the extension. Not applicable if the server does not declare it. */
export function skillSettings({ capabilities }: Facts): JsonObject {
  const settings = declaredExtensions(capabilities)[SKILLS];
  if (settings === undefined) notApplicable('the server does not declare skills');
  return isObject(settings) ? settings : {};
}

export const skillSurvey = perRevision(async (ruleRun: ServerRuleRun): Promise<SkillSurvey> => {
  const { directoryRead } = skillSettings(ruleRun.facts);
  const conversation = await ruleRun.open();
  const ask = (method: string, params: JsonObject) => exchangeIn(conversation, method, params);
  const lists = (await walk(ask, 'skills/list')).pages;
  const entries = lists.flatMap((exchange) =>
    listIn(exchange.result, 'skills').map((value, at) => {
      const uri = isObject(value) ? value.uri : undefined;
      const what = uri === undefined ? `Entry ${at} of \`skills\`` : `The skill ${JSON.stringify(uri)}`;
      return { value, what, exchange };
    }),
  );
  const skills = entries.filter((entry): entry is Part<Skill> => isSkill(entry.value));
  const some = skills.slice(0, MOST_SKILLS).map(({ value }) => value);
  const gets: Exchange[] = [];
  for (const { uri } of some) gets.push(await ask('skills/get', { uri }));
  const reads = new Map<string, Exchange>();
  for (const uri of readableFiles(some)) reads.set(uri, await ask('resources/read', { uri }));
  const directories = new Map<string, Exchange>();
  for (const uri of directoryRead === true ? directoriesOf(some) : []) {
    directories.set(uri, await ask(READ_DIRECTORY, { uri }));
  }
  return { lists, entries, skills, gets, reads, directories };
});

/** Files within the limits, in the order of the entries. */
function readableFiles(skills: readonly Skill[]): string[] {
  const sizes = new Map<string, number>();
  let bytes = 0;
  for (const { uri, resources } of skills) {
    for (const file of resources === 'dynamic' ? [{ uri, size: 0 }] : resources) {
      if (!isObject(file) || typeof file.uri !== 'string' || sizes.has(file.uri) || sizes.size >= MOST_FILES) continue;
      const size = typeof file.size === 'number' ? file.size : 0;
      if (bytes + size > MOST_BYTES) continue;
      bytes += size;
      sizes.set(file.uri, size);
    }
  }
  return [...sizes.keys()];
}

/** The root of each skill, and the directories that its files are in. */
function directoriesOf(skills: readonly Skill[]): string[] {
  const found = new Set<string>();
  for (const { uri, resources } of skills) {
    const root = skillRoot(uri);
    found.add(root);
    for (const file of listedUris(resources)) {
      for (let parent = parentOf(file); parent.length > root.length; parent = parentOf(parent)) found.add(parent);
    }
  }
  return [...found].slice(0, MOST_DIRECTORIES);
}

export function parentOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf('/'));
}

/** The URIs in the list of files that are in the directory of a skill. Entries are unchecked. */
export function listedUris(resources: Skill['resources']): string[] {
  if (resources === 'dynamic') return [];
  return resources.flatMap((file) => (isObject(file) && typeof file.uri === 'string' ? [file.uri] : []));
}

/** Reports the first problem as a violation. Each problem is a sentence. */
export function judgeSkills<T>(entries: readonly Part<T>[], problems: (value: T) => string[]): void {
  if (entries.length === 0) notApplicable(NO_SKILLS);
  for (const { value, exchange } of entries) {
    const [problem] = problems(value);
    if (problem) violation(problem, ...proofOf(exchange));
  }
}
