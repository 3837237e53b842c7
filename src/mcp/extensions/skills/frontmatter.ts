// The YAML at the start of a SKILL.md, compared with the entry of the skill: "Any discrepancy MUST be treated as a verification failure".

import { orderedJson } from '../../../base/ordered-json.ts';
import { nestsTooDeeply } from '../../../base/text-nesting.ts';
import type { Skill } from './skill.ts';

/** Longer frontmatter is not parsed: it would block the process. */
const MOST_CHARS = 64 * 1024;

export const TOO_LARGE = 'has frontmatter that is too large to be compared';

export function frontmatterText(file: string): string | undefined {
  return /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(file)?.[1];
}

/**
 * Describes the problem as the rest of a sentence about the file. Undefined if its frontmatter has the same content as
 * that of the entry.
 */
export async function frontmatterProblem(bytes: Uint8Array, { frontmatter }: Skill): Promise<string | undefined> {
  const text = frontmatterText(new TextDecoder().decode(bytes));
  if (text === undefined) return 'does not begin with YAML frontmatter';
  if (text.length > MOST_CHARS || nestsTooDeeply(text)) return TOO_LARGE;
  const { parse } = await import('yaml');
  const found: string[] = [];
  // Parsers of YAML 1.1 and 1.2 differ, for example for `yes`.
  for (const version of ['1.2', '1.1'] as const) {
    try {
      found.push(orderedJson(parse(text, { version })));
    } catch {
      // the text is not valid in this version
    }
  }
  if (found.length === 0) return 'has frontmatter that is not valid YAML';
  const entry = orderedJson(frontmatter);
  return found.includes(entry) ? undefined : `has the frontmatter ${found[0]}, and the entry ${entry}`;
}
