// Text of a result: JSON as a tree or a table, an SVG as a picture on demand, everything else as text or Markdown. HTML is shown as its
// source.

import { useMemo, useState } from 'react';
import { parseExact } from '../../json/exact-json.ts';
import { MarkdownText } from '../../markdown/markdown-text.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { copyText, download } from '../../text/copy.ts';

interface Props {
  text: string;
  label: string;
  mimeType?: string | undefined;
  fileName: string;
}

/** Longer text is not parsed. */
const LONGEST_JSON = 4_000_000;
const endings: Record<string, string> = { 'text/html': 'html', 'image/svg+xml': 'svg', 'text/markdown': 'md' };

export function TextContent({ text, label, mimeType, fileName }: Props) {
  const json = useMemo(() => jsonIn(text), [text]);
  if (json !== undefined) return <JsonView value={json} text={text} label={label} fileName={fileName} />;
  const type = (mimeType ?? '').split(';', 1).join('').trim().toLowerCase();
  return (
    <div className="text-content">
      {type === 'image/svg+xml' || /^\s*<svg[\s>]/.test(text) ? <Drawing text={text} /> : null}
      <MarkdownText text={text} label={label} mimeType={mimeType} />
      <div className="buttons">
        <button type="button" className="quiet" onClick={() => copyText(text, label)}>
          Copy
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => download(`${fileName}.${endings[type] ?? 'txt'}`, [text], 'text/plain')}
        >
          Save
        </button>
      </div>
    </div>
  );
}

/** An image element runs no scripts of an SVG and loads nothing for it. */
function Drawing({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="media">
      <button type="button" className="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        Open as a picture
      </button>
      {open && <img src={`data:image/svg+xml,${encodeURIComponent(text)}`} alt="From the server: image/svg+xml" />}
    </div>
  );
}

/** Objects and lists only: a number or a word is better read as text. */
function jsonIn(text: string): unknown {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined; // the text only begins like JSON
  }
}
