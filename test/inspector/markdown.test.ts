// The Markdown parser of the page returns plain data for any text of a server.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, looksLikeMarkdown, readBlocks } from '../../ui/src/markdown/read-blocks.ts';
import { readSpans } from '../../ui/src/markdown/read-spans.ts';

const paragraph = (text: string): Block => ({ kind: 'paragraph', text });

describe('blocks', () => {
  it('are headings, paragraphs, code, quotes and rules', () => {
    const text = '# One\ntwo\nthree\n\n```js\n# not a heading\n```\n> quoted\n> # inside\n\n---\n';
    expect(readBlocks(text)).toEqual([
      { kind: 'heading', level: 1, text: 'One' },
      paragraph('two\nthree'),
      { kind: 'code', text: '# not a heading' },
      { kind: 'quote', blocks: [paragraph('quoted'), { kind: 'heading', level: 1, text: 'inside' }] },
      { kind: 'rule' },
    ]);
  });

  it('can be nested lists', () => {
    expect(readBlocks('- a\n  - b\n  - c\n- d\n\n3. x\n4. y')).toEqual([
      {
        kind: 'list',
        start: undefined,
        items: [
          [paragraph('a'), { kind: 'list', start: undefined, items: [[paragraph('b')], [paragraph('c')]] }],
          [paragraph('d')],
        ],
      },
      { kind: 'list', start: 3, items: [[paragraph('x')], [paragraph('y')]] },
    ]);
  });

  it('are tables', () => {
    expect(readBlocks('| a | b |\n|---|:-:|\n| 1 | x\\|y |\nafter')).toEqual([
      { kind: 'table', head: ['a', 'b'], rows: [['1', 'x|y']] },
      paragraph('after'),
    ]);
  });

  it('preserve every word of any text', () => {
    const line = fc.constantFrom(
      '- a',
      '  - b',
      '> c',
      '# d',
      '```',
      'e',
      '',
      '1. f',
      '| g |',
      '|---|',
      '    h',
      '***',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const written = lines.join('\n').match(/[a-h]/g) ?? [];
        expect(JSON.stringify(textsOf(readBlocks(lines.join('\n')))).match(/[a-h]/g) ?? []).toEqual(written);
      }),
    );
  });
});

/** All texts, in order. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === 'kind' ? [] : textsOf(member)));
}

describe('spans', () => {
  it('are code, strong, emphasis and links, and HTML is text', () => {
    expect(readSpans('a `x*y*` **b _c_** [d](https://e) <b>f</b> 2*3*4 snake_case_name \\*g')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'x*y*' },
      { kind: 'text', text: ' ' },
      {
        kind: 'strong',
        spans: [
          { kind: 'text', text: 'b ' },
          { kind: 'emphasis', spans: [{ kind: 'text', text: 'c' }] },
        ],
      },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'd', address: 'https://e' },
      { kind: 'text', text: ' <b>f</b> 2*3*4 snake_case_name ' },
      { kind: 'text', text: '*' },
      { kind: 'text', text: 'g' },
    ]);
  });

  it('are not parsed in very long texts', () => {
    const text = '**'.repeat(5_000);
    expect(readSpans(text)).toEqual([{ kind: 'text', text }]);
  });
});

it('a text counts as Markdown with several weak signs or a strong one', () => {
  for (const text of ['# A\n\n**b**', '- a\n- b\n\nsee [c](d)', '```\ncode\n```', '| a |\n|---|\n| b |']) {
    expect(looksLikeMarkdown(text)).toBe(true);
  }
  for (const text of [
    'plain',
    '# a comment of a script\nls',
    '- a\n- b',
    '{"a": "**b** # c"}',
    '<h1>**a**</h1>',
    '2 * 3',
  ]) {
    expect(looksLikeMarkdown(text)).toBe(false);
  }
});
