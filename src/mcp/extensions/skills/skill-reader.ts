// Skills of a connected server: entries, and files that are compared with the entry which names them. "When a host retrieves a file listed
// in a skill's resources, it MUST verify the content against that entry's digest and size."

import { PeerError } from '../../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { CallOptions } from '../../client/options.ts';
import { readAllPages } from '../../client/pages.ts';
import { frontmatterProblem } from './frontmatter.ts';
import { bytesIn, MOST_SKILL_BYTES, type Skill, sha256, skillProblems } from './skill.ts';

type SkillClient = Pick<Client, 'server' | 'request' | 'readResource'>;

const LIMITS = { maxPages: 1_000, maxItems: 100_000, maxListBytes: 256 * 1024 * 1024 };
const LIST = { method: 'skills/list', member: 'skills', nameKey: 'uri' };

/** All skills that the server lists. It may serve others. Rejects if an entry violates the specification. */
export async function listSkills(client: SkillClient, options?: CallOptions): Promise<Skill[]> {
  const { items } = await readAllPages<Skill>(client, LIST, LIMITS, () => undefined, options);
  return items.map((skill) => valid(skill));
}

/** The entry of the skill whose SKILL.md has this URI, listed or not. */
export async function getSkill(client: SkillClient, uri: string, options?: CallOptions): Promise<Skill> {
  const { skill } = await client.request('skills/get', { uri }, options);
  const entry = valid(skill as Skill);
  if (entry.uri !== uri) throw invalid(`The server answered skills/get for ${uri} with ${entry.uri}`);
  return entry;
}

/**
 * The bytes of a file of the skill, by default of its SKILL.md. Rejects if the entry does not list the file, if its
 * size or digest differs, or if the frontmatter of the SKILL.md differs. For a skill with `dynamic` resources, only the
 * frontmatter can be verified.
 */
export async function readSkillFile(
  client: SkillClient,
  skill: Skill,
  uri: string = skill.uri,
  options?: CallOptions,
): Promise<Uint8Array> {
  const listed = skill.resources === 'dynamic' ? undefined : skill.resources.find((file) => file.uri === uri);
  if (!listed && skill.resources !== 'dynamic') throw invalid(`${uri} is not a file of the skill ${skill.uri}`);
  const bytes = bytesIn((await client.readResource(uri, options)).contents, uri);
  if (!bytes) throw invalid(`The server answered resources/read for ${uri} without its contents`);
  if (bytes.length > (listed?.size ?? MOST_SKILL_BYTES) || (listed && bytes.length !== listed.size)) {
    throw invalid(`${uri} has ${bytes.length} bytes instead of ${listed?.size ?? `at most ${MOST_SKILL_BYTES}`}`);
  }
  const digest = listed && (await sha256(bytes));
  if (digest !== listed?.digest) throw invalid(`${uri} has the digest ${digest} instead of ${listed!.digest}`);
  const problem = uri === skill.uri ? await frontmatterProblem(bytes, skill) : undefined;
  if (problem) throw invalid(`${uri} ${problem}`);
  return bytes;
}

function valid(skill: Skill): Skill {
  const [problem] = skillProblems(skill);
  if (problem) throw invalid(problem);
  return skill;
}

function invalid(message: string): PeerError {
  return new PeerError('RESULT_INVALID', message, {
    hint: 'Do not use the file. If the skill was updated, get its entry again with getSkill.',
  });
}
