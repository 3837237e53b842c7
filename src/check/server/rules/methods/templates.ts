// Templates of resources.

import { isObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { entriesOf, objectEntriesOf, shapeRule } from './shape.ts';

const none = 'the server has no resource templates';

export const templateEntries = shapeRule({
  id: 'methods/template-entries',
  level: 'MUST',
  title: 'give each resource template a template and a name',
  says: 'Each entry of `resources/templates/list` has a `uriTemplate` and a `name`.',
  source: { of: 'mcp', page: 'server/resources#resource-templates' },
  fix: { any: 'Give each template a `uriTemplate` and a `name`.' },
  parts: (survey) => entriesOf(survey, 'resourceTemplates'),
  none,
  problem: (template) => {
    if (!isObject(template)) return `is ${jsonKind(template)}`;
    const missing = ['uriTemplate', 'name'].find((member) => typeof template[member] !== 'string');
    return missing && wrongMember(template, missing);
  },
});

const variable = String.raw`(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9]\d{0,3})?`;
const EXPRESSION = new RegExp(`^[+#./;?&]?${variable}(?:,${variable})*$`);

export const uriTemplates = shapeRule({
  id: 'methods/uri-templates',
  level: 'MUST',
  title: 'use URI templates of RFC 6570',
  says: 'A `uriTemplate` is a URI template by RFC 6570: expressions in braces that are closed, with names of variables in them.',
  source: { of: 'mcp', page: 'server/resources#resource-templates' },
  fix: {
    any: 'Write variables as `{name}`, or `{+path}` for one with slashes. `:name`, `<name>` and `{}` are no variables.',
  },
  parts: (survey) =>
    objectEntriesOf(survey, 'resourceTemplates').filter(({ value }) => typeof value.uriTemplate === 'string'),
  none,
  problem: ({ uriTemplate }) => templateProblem(uriTemplate as string),
});

export function templateProblem(template: string): string | undefined {
  const literals = template.replace(/\{([^{}]*)\}/g, (whole, expression: string) =>
    EXPRESSION.test(expression) ? '' : whole,
  );
  const wrong = /\{[^}]*\}?|\}/.exec(literals)?.[0];
  if (wrong !== undefined) return `has ${JSON.stringify(wrong)}, which is no expression of RFC 6570`;
  const character = /[\s"<>\\^`|]/.exec(literals)?.[0];
  return character && `has the character ${JSON.stringify(character)} outside of expressions`;
}
