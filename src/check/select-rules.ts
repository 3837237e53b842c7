// Selects rules by id, by family, or by a pattern with `*`.

import { UsageError } from '../base/errors.ts';
import { globMatcher } from '../base/glob.ts';
import { ownCommand } from '../base/own-command.ts';
import { nearest } from '../config/nearest.ts';
import { familyOf, type RuleText } from './rule.ts';

export interface Selection {
  /** Ids, families or patterns. Default: all rules. */
  only?: readonly string[];
  skip?: readonly string[];
}

/** Ids of earlier versions. They select nothing, and are not an error in a CI file. */
export const removedRules: readonly string[] = [
  'lifecycle/answers-at-the-end',
  'litemcp-lifecycle/answers-before-the-end',
];

export function selectRules<R extends Pick<RuleText, 'id'>>(
  rules: readonly R[],
  { only = [], skip = [] }: Selection,
): R[] {
  const names = [...only, ...skip];
  const unknown = names.find((name) => !removedRules.includes(name) && !rules.some((rule) => isNamed(rule, name)));
  if (unknown !== undefined) {
    const families = [...new Set(rules.map(({ id }) => familyOf(id)))];
    const meant = meantBy(unknown, [...families, ...rules.map(({ id }) => id)]);
    throw new UsageError('INVALID_OPTION', `There is no rule or family "${unknown}"`, {
      hint: [
        meant && `Did you mean "${meant}"?`,
        `Families: ${families.join(', ')}. All rules: ${ownCommand} check --list`,
      ]
        .filter(Boolean)
        .join(' '),
    });
  }
  return rules.filter(
    (rule) =>
      (only.length === 0 || only.some((name) => isNamed(rule, name))) && !skip.some((name) => isNamed(rule, name)),
  );
}

/** The nearest name, or the first id that contains all words of the unknown name. */
function meantBy(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > 100) return undefined;
  const words = unknown.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const found = words.length > 0 ? known.find((id) => words.every((word) => id.includes(word))) : undefined;
  return nearest(unknown, known) ?? found;
}

function isNamed({ id }: Pick<RuleText, 'id'>, name: string): boolean {
  return familyOf(id) === name || globMatcher(name)(id);
}
