// A rule recognises one mistake. It requires proof in the output; in doubt it finds nothing.

import type { Language } from './language.ts';
import type { Observations } from './observations.ts';
import type { SymptomFinding } from './symptoms.ts';

export interface Rule {
  /** A heading of docs/troubleshooting.md. */
  name: string;
  /** True if a valid answer cannot follow output of this kind. */
  isFinal?: boolean;
  find(observed: Observations): SymptomFinding | undefined;
}

/** One piece of advice, worded for each language. */
export type Advice = { readonly [language in Language]?: string } & { readonly any: string };

export function adviceIn(advice: Advice, language: Language | undefined): string {
  return (language && advice[language]) ?? advice.any;
}

/**
 * A rule for a pattern in the last error that a server printed before it exited. An earlier error proves nothing: the
 * server may have reported it and continued. A pattern that spans lines must limit how far it reads, because servers
 * choose the text.
 */
export function exitRule(
  name: string,
  pattern: RegExp,
  tell: (match: RegExpExecArray, observed: Observations) => SymptomFinding,
): Rule {
  return {
    name,
    find(observed) {
      if (!observed.hasFailed) return undefined;
      const match = lastError(pattern, observed.stderr) ?? lastError(pattern, observed.lines);
      return match ? tell(match, observed) : undefined;
    },
  };
}

/** The start of a line that names an error. */
export const ERROR_LINE = /^(?:[\w.]*(?:Error|Exception)|error|fatal|panic)\b[^\n]*[:[]/m;

/** The last match of the pattern, unless another error follows it. */
export function lastError(pattern: RegExp, text: string): RegExpExecArray | undefined {
  const match = [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].at(-1);
  return match && !ERROR_LINE.test(text.slice(match.index + match[0].length)) ? match : undefined;
}

/** Quotes a part of the output in a message: short, and on one line. */
export function quoted(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}

/** Quotes the end of a path, which identifies the file better than the beginning. */
export function quotedEnd(path: string): string {
  return JSON.stringify(path.length > 80 ? `…${path.slice(-80)}` : path);
}
