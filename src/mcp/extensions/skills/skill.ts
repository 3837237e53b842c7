// A skill of SEP-2640, `io.modelcontextprotocol/skills`: a directory with a SKILL.md whose files are resources. An entry lists all files
// with their digests. The rules of an entry that can be checked without reading a file are here, for clients and for `check`.

import { isObject } from '../../../base/json-object.ts';

export const SKILLS = 'io.modelcontextprotocol/skills';
export const SKILL_FILE = 'SKILL.md';

/** Limits of the specification: "Hosts MUST support skills up to and including these limits". */
export const MOST_SKILL_FILES = 512;
export const MOST_SKILL_BYTES = 16 * 1024 * 1024;

export interface SkillResource {
  uri: string;
  /** `sha256:` and 64 lowercase hexadecimal digits. */
  digest: string;
  /** The size in bytes. */
  size: number;
}

export interface Skill {
  /** The URI of the SKILL.md. */
  uri: string;
  /** The YAML at the start of SKILL.md, as JSON. */
  frontmatter: { name: string; description: string; [key: string]: unknown };
  /** All files, or `dynamic` for generated files without stable digests. */
  resources: SkillResource[] | 'dynamic';
  _meta?: Record<string, unknown>;
}

/** The URI of the directory of a skill, without a slash at its end. */
export function skillRoot(uri: string): string {
  return uri.slice(0, -SKILL_FILE.length - 1);
}

/** Violations of the specification in an entry, each as a sentence; empty for a valid entry. */
export function skillProblems(given: unknown): string[] {
  const problems = formProblems(given);
  if (!isSkill(given)) return problems;
  return [...problems, ...nameProblems(given), ...fileProblems(given), ...listProblems(given), ...limitProblems(given)];
}

/** Whether the problems of an entry beyond its form can be found. */
export function isSkill(given: unknown): given is Skill {
  return formProblems(given).length === 0;
}

export function formProblems(given: unknown): string[] {
  if (!isObject(given)) return ['A skill must be an object.'];
  const { uri, frontmatter, resources } = given;
  if (typeof uri !== 'string') return ['`uri` of a skill must be a string.'];
  const problems: string[] = [];
  if (!uri.endsWith(`/${SKILL_FILE}`)) problems.push(`\`uri\` must end with /${SKILL_FILE}: ${uri}`);
  if (!isObject(frontmatter)) problems.push(`\`frontmatter\` of ${uri} must be an object.`);
  else {
    for (const key of ['name', 'description']) {
      if (typeof frontmatter[key] !== 'string') problems.push(`\`frontmatter.${key}\` of ${uri} must be a string.`);
    }
  }
  if (resources !== 'dynamic' && !Array.isArray(resources)) {
    problems.push(`\`resources\` of ${uri} must be an array or "dynamic".`);
  }
  return problems;
}

/** "The final segment of `<skill-path>` MUST equal the skill's `name`." */
export function nameProblems({ uri, frontmatter: { name } }: Skill): string[] {
  const last = skillRoot(uri).split('/').at(-1)!;
  // A program that writes skills to files uses the name as that of a directory.
  if (name === '.' || name === '..' || /[/\\]/.test(name))
    return [`The name of ${uri} is not one of a directory: ${name}`];
  return last === name || decoded(last) === name
    ? []
    : [`The directory of ${uri} must have the name of the skill, ${name}.`];
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // the URI is not percent-encoded
  }
}

/** Problems of single files. */
export function fileProblems({ uri, resources }: Skill): string[] {
  return filesOf(resources).flatMap((file) => {
    const { uri: own, digest, size } = isObject(file) ? file : {};
    const problems: string[] = [];
    const isInside = typeof own === 'string' && own.startsWith(`${skillRoot(uri)}/`) && !leavesDirectory(own);
    if (!isInside) problems.push(`A file of ${uri} is not in its directory: ${JSON.stringify(own)}`);
    if (!isDigest(digest)) {
      problems.push(`\`digest\` of ${JSON.stringify(own)} must be "sha256:" and 64 lowercase hexadecimal digits.`);
    }
    if (!Number.isSafeInteger(size) || (size as number) < 0) {
      problems.push(`\`size\` of ${JSON.stringify(own)} must be a number of bytes.`);
    }
    return problems;
  });
}

/** Whether the path has a segment `..`, also one that only appears when it is decoded: a program that writes the files would follow it. */
function leavesDirectory(uri: string): boolean {
  return uri.split(/[/\\]|%2f|%5c/i).some((segment) => segment.replace(/%2e/gi, '.') === '..');
}

export function isDigest(given: unknown): boolean {
  return typeof given === 'string' && /^sha256:[0-9a-f]{64}$/.test(given);
}

/** "It lists every file of the skill, each exactly once, including an entry whose `uri` equals the skill's top-level `uri`." */
export function listProblems({ uri, resources }: Skill): string[] {
  if (resources === 'dynamic') return [];
  const seen = new Set<unknown>();
  const problems = resources.flatMap((file) => {
    const isKnown = seen.has(file?.uri);
    seen.add(file?.uri);
    return isKnown ? [`${JSON.stringify(file?.uri)} is listed twice.`] : [];
  });
  return seen.has(uri) ? problems : [...problems, `\`resources\` of ${uri} must contain the ${SKILL_FILE} itself.`];
}

export function limitProblems({ uri, resources }: Skill): string[] {
  const files = filesOf(resources);
  const bytes = files.reduce<number>((sum, file) => sum + (Number(isObject(file) && file.size) || 0), 0);
  const problems: string[] = [];
  if (files.length > MOST_SKILL_FILES)
    problems.push(`${uri} has ${files.length} files; hosts accept ${MOST_SKILL_FILES}.`);
  if (bytes > MOST_SKILL_BYTES) problems.push(`${uri} has ${bytes} bytes; hosts accept ${MOST_SKILL_BYTES}.`);
  return problems;
}

/** Entries of servers are unchecked. */
function filesOf(resources: Skill['resources']): readonly unknown[] {
  return resources === 'dynamic' ? [] : resources;
}

/** The bytes of a file in the result of `resources/read`. Undefined if it is not there, or not text or base64. */
export function bytesIn(contents: unknown, uri: string): Uint8Array | undefined {
  const found = Array.isArray(contents) ? contents.find((each) => isObject(each) && each.uri === uri) : undefined;
  if (typeof found?.text === 'string') return new TextEncoder().encode(found.text);
  if (typeof found?.blob !== 'string') return undefined;
  try {
    return Uint8Array.from(atob(found.blob), (char) => char.charCodeAt(0));
  } catch {
    return undefined; // the blob is not base64
  }
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
