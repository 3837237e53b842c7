// Reads skills from a folder: each folder with a SKILL.md, at any depth, is a skill. Links are not followed, so that a skill cannot contain
// files from elsewhere. Hidden files and folders, such as .env and .git, are not part of a skill.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toError, UsageError } from '../base/errors.ts';
import { nestsTooDeeply } from '../base/text-nesting.ts';
import { frontmatterText } from '../mcp/extensions/skills/frontmatter.ts';
import { MOST_SKILL_BYTES, MOST_SKILL_FILES, SKILL_FILE, type Skill } from '../mcp/extensions/skills/skill.ts';
import type { SkillSource } from '../mcp/extensions/skills/skills.ts';

interface OpenSkill {
  /** Contents by path. The object has no prototype, because a file may have any name. */
  files: Record<string, string | Uint8Array>;
  count: number;
  bytes: number;
}

/** The skills below a folder, for `skills()`. The path of a skill is that of its folder, relative to `folder`. */
export async function readSkills(folder: string): Promise<SkillSource[]> {
  const { parse } = await import('yaml');
  const found: SkillSource[] = [];
  const walk = async (
    path: readonly string[],
    outer: OpenSkill | undefined,
    below: readonly string[],
  ): Promise<void> => {
    const all = await readdir(join(folder, ...path), { withFileTypes: true });
    const entries = all.filter(({ name }) => !name.startsWith('.'));
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    const isSkill = path.length > 0 && entries.some((entry) => entry.isFile() && entry.name === SKILL_FILE);
    const skill = isSkill ? { files: Object.create(null), count: 0, bytes: 0 } : outer;
    const inSkill = isSkill ? [] : below;
    for (const entry of entries) {
      const file = join(folder, ...path, entry.name);
      if (entry.isDirectory()) await walk([...path, entry.name], skill, [...inSkill, entry.name]);
      else if (entry.isFile() && skill) skill.files[[...inSkill, entry.name].join('/')] = await contentOf(file, skill);
    }
    if (!isSkill) return;
    const frontmatter = readFrontmatter(parse, skill!.files[SKILL_FILE]!, join(folder, ...path, SKILL_FILE));
    found.push({ path: path.join('/'), frontmatter, files: skill!.files });
  };
  await walk([], undefined, []);
  return found;
}

/** Returns text if it has exactly these bytes in UTF-8; clients compare digests of bytes. */
async function contentOf(file: string, skill: OpenSkill): Promise<string | Uint8Array> {
  skill.count += 1;
  skill.bytes += (await stat(file)).size;
  if (skill.count > MOST_SKILL_FILES || skill.bytes > MOST_SKILL_BYTES) {
    const limits = `${MOST_SKILL_FILES} files and ${MOST_SKILL_BYTES} bytes`;
    throw new UsageError('INVALID_OPTION', `A skill may have ${limits}; the skill of ${file} has more`);
  }
  const bytes = await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes; // the file is not UTF-8
  }
}

function readFrontmatter(
  parse: (yaml: string) => unknown,
  content: string | Uint8Array,
  file: string,
): Skill['frontmatter'] {
  const yaml = frontmatterOf(content, file);
  if (nestsTooDeeply(yaml)) throw new UsageError('INVALID_OPTION', `The YAML of ${file} is nested too deeply`);
  try {
    return parse(yaml) as Skill['frontmatter'];
  } catch (error) {
    throw new UsageError('INVALID_OPTION', `The YAML of ${file} cannot be read: ${toError(error).message}`);
  }
}

function frontmatterOf(content: string | Uint8Array, file: string): string {
  const yaml = typeof content === 'string' ? frontmatterText(content) : undefined;
  if (yaml !== undefined) return yaml;
  throw new UsageError('INVALID_OPTION', `${file} must begin with YAML between two lines "---"`, {
    hint: '---\nname: my-skill\ndescription: When to use it\n---',
  });
}
