// Members that many objects have: `_meta` and `icons`.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { contentBlocks, isObjectPart, objectEntriesOf, type Part, readContents, shapeRule } from './shape.ts';
import type { Survey } from './survey.ts';

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const KEY = new RegExp(String.raw`^(?:${label}(?:\.${label})*/)?(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$`);

export const metaKeys = shapeRule({
  id: 'methods/meta-keys',
  level: 'MUST',
  title: 'use valid keys in `_meta`',
  says: 'A key of `_meta` has an optional prefix of labels with dots and a slash, and a name that begins and ends with a letter or digit.',
  source: { of: 'mcp', page: 'basic/index#meta' },
  fix: { any: 'Name keys of your own like `com.example/name`.' },
  since: '2025-06-18',
  parts: (survey) => withMember(survey, '_meta'),
  none: 'nothing that the server sent has a `_meta`',
  problem: ({ _meta }) => {
    if (!isObject(_meta)) return `has a _meta that is ${jsonKind(_meta)}`;
    const wrong = Object.keys(_meta).find((key) => !KEY.test(key));
    return wrong === undefined ? undefined : `has the key ${JSON.stringify(wrong)} in _meta`;
  },
});

export const icons = shapeRule({
  id: 'methods/icons',
  level: 'MUST',
  title: 'give icons a source and their types',
  says: '`icons` is a list. Each icon has a `src`; `mimeType` is a string, `sizes` a list of strings, `theme` light or dark.',
  source: { of: 'mcp', page: 'basic/index#icons' },
  fix: { any: 'Write `{"src": "https://…", "sizes": ["48x48"]}`. `sizes` is a list.' },
  since: '2025-11-25',
  parts: (survey) => withMember(survey, 'icons'),
  none: 'nothing that the server sent has icons',
  problem: ({ icons: given }) => {
    if (!Array.isArray(given)) return `has icons that are ${jsonKind(given)}`;
    return given.map(iconProblem).find((problem) => problem !== undefined);
  },
});

function iconProblem(icon: unknown): string | undefined {
  if (!isObject(icon)) return `has an icon that is ${jsonKind(icon)}`;
  const { src, mimeType, sizes, theme } = icon;
  if (typeof src !== 'string') return `has an icon that ${wrongMember(icon, 'src')}`;
  if (mimeType !== undefined && typeof mimeType !== 'string')
    return `has an icon with a mimeType that is ${jsonKind(mimeType)}`;
  const areSizes = Array.isArray(sizes) && sizes.every((size) => typeof size === 'string');
  if (sizes !== undefined && !areSizes) return `has an icon with the sizes ${JSON.stringify(sizes)}`;
  return theme === undefined || theme === 'light' || theme === 'dark'
    ? undefined
    : `has an icon with the theme ${JSON.stringify(theme)}`;
}

/** Results, entries of lists, blocks and contents that have this member. */
function withMember(survey: Survey, member: string): Part<JsonObject>[] {
  const exchanges = [
    ...survey.lists.flatMap(({ pages }) => pages),
    ...survey.calls,
    ...survey.reads,
    ...survey.gets,
    ...survey.completions,
  ];
  const results = exchanges.flatMap((exchange) =>
    exchange.result ? [{ value: exchange.result, what: `The result of \`${exchange.method}\``, exchange }] : [],
  );
  const parts = [
    ...results,
    ...objectEntriesOf(survey, 'tools', 'resources', 'resourceTemplates', 'prompts'),
    ...[...contentBlocks(survey), ...readContents(survey)].filter(isObjectPart),
  ];
  return parts.filter(({ value }) => value[member] !== undefined);
}
