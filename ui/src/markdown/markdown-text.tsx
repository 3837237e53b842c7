// Text that may be Markdown. Rendered if its type is Markdown or it looks like Markdown. The source can be shown on demand.

import { lazy, Suspense, useState } from 'react';
import { LongText } from '../parts/long-text.tsx';
import { looksLikeMarkdown } from './read-blocks.ts';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

/** Limit in characters. Longer texts are shown as source, one piece at a time. */
const LONGEST = 100_000;

export function MarkdownText({
  text,
  label,
  mimeType,
}: {
  text: string;
  label: string;
  mimeType?: string | undefined;
}) {
  const [asWritten, setAsWritten] = useState(false);
  const isMarkdown = /^text\/(?:x-)?markdown\b/i.test(mimeType ?? '') || (!mimeType && looksLikeMarkdown(text));
  if (!isMarkdown || text.length > LONGEST) return <LongText text={text} label={label} />;
  return (
    <div className="markdown-text">
      <label className="check small">
        <input type="checkbox" checked={asWritten} onChange={(event) => setAsWritten(event.target.checked)} /> Markdown
        as written
      </label>
      {asWritten ? (
        <LongText text={text} label={label} />
      ) : (
        <Suspense fallback={<LongText text={text} label={label} />}>
          <Markdown text={text} label={label} />
        </Suspense>
      )}
    </div>
  );
}
