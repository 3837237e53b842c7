// Which rules run: by id, by family, or by a pattern with `*`.

import { UsageError } from '../base/errors.ts';
import { globMatcher } from '../base/glob.ts';
import { didYouMean } from '../config/nearest.ts';
import { familyOf, type RuleText } from './rule.ts';

export interface Selection {
  /** Ids, families or patterns. Default: all rules. */
  only?: readonly string[];
  skip?: readonly string[];
}

export function selectRules<R extends Pick<RuleText, 'id'>>(
  rules: readonly R[],
  { only = [], skip = [] }: Selection,
): R[] {
  const names = [...only, ...skip];
  const unknown = names.find((name) => !rules.some((rule) => isNamed(rule, name)));
  if (unknown !== undefined) {
    const families = [...new Set(rules.map(({ id }) => familyOf(id)))];
    const known = [...families, ...rules.map(({ id }) => id)];
    throw new UsageError('INVALID_OPTION', `There is no rule or family "${unknown}"`, {
      hint: [didYouMean(unknown, known), `Families: ${families.join(', ')}. All rules: standpipe check --list`]
        .filter(Boolean)
        .join(' '),
    });
  }
  return rules.filter(
    (rule) =>
      (only.length === 0 || only.some((name) => isNamed(rule, name))) && !skip.some((name) => isNamed(rule, name)),
  );
}

function isNamed({ id }: Pick<RuleText, 'id'>, name: string): boolean {
  return familyOf(id) === name || globMatcher(name)(id);
}
