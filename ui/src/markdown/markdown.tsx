// Renders Markdown as elements. Text from a server cannot inject markup: HTML is shown as text, images are not loaded, and links are
// shown with their address and cannot be clicked.

import { Fragment, type ReactNode, useMemo } from 'react';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { visible } from '../text/visible.ts';
import { type Block, readBlocks } from './read-blocks.ts';
import { readSpans, type Span } from './read-spans.ts';

export function Markdown({ text, label }: { text: string; label: string }) {
  const blocks = useMemo(() => readBlocks(text), [text]);
  return (
    <ScrollRegion className="markdown" label={label}>
      {blocks.map(blockElement)}
    </ScrollRegion>
  );
}

function blockElement(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case 'heading':
      // An element other than a heading: headings of a text must not appear in the outline of the page.
      return (
        <p key={key} className={`md-heading md-h${block.level}`}>
          <Spans text={block.text} />
        </p>
      );
    case 'paragraph':
      return (
        <p key={key}>
          <Spans text={block.text} />
        </p>
      );
    case 'code':
      return (
        <pre key={key} className="md-code">
          {visible(block.text)}
        </pre>
      );
    case 'quote':
      return <blockquote key={key}>{block.blocks.map(blockElement)}</blockquote>;
    case 'rule':
      return <hr key={key} />;
    case 'list': {
      // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
      const items = block.items.map((blocks, at) => <li key={at}>{blocks.map(blockElement)}</li>);
      return block.start === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      );
    }
    case 'table':
      return <Table key={key} {...block} />;
  }
}

function Table({ head, rows }: { head: string[]; rows: string[][] }) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by their position
            <th key={at} scope="col">
              <Spans text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by their position
          <tr key={row}>
            {cells.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by their position
              <td key={at}>
                <Spans text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Spans({ text }: { text: string }) {
  return <>{readSpans(text).map(spanElement)}</>;
}

function spanElement(span: Span, key: number): ReactNode {
  switch (span.kind) {
    case 'text':
      return <Fragment key={key}>{visible(span.text)}</Fragment>;
    case 'code':
      return <code key={key}>{visible(span.text)}</code>;
    case 'strong':
      return <strong key={key}>{span.spans.map(spanElement)}</strong>;
    case 'emphasis':
      return <em key={key}>{span.spans.map(spanElement)}</em>;
    case 'deleted':
      return <del key={key}>{span.spans.map(spanElement)}</del>;
    case 'link':
    case 'picture':
      return (
        <Fragment key={key}>
          <span className="md-link">{visible(span.text)}</span>{' '}
          <code className="md-address">{visible(span.address)}</code>
        </Fragment>
      );
  }
}
