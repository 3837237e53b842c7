// JSON as a table, a tree or the text as it was sent, with buttons to copy and to save it. A list of objects begins as a table.

import { useMemo, useState } from 'react';
import { writeExact } from '../json/exact-json.ts';
import { tableOf } from '../json/table-of.ts';
import { copyText, download } from '../text/copy.ts';
import { JsonTable } from './json-table.tsx';
import { JsonTree } from './json-tree.tsx';
import { LongText } from './long-text.tsx';

type Form = 'table' | 'tree' | 'raw';

interface Props {
  value: unknown;
  /** The text as it was sent, if the value came as text. */
  text?: string;
  label: string;
  /** The name of a saved file, without its ending. */
  fileName: string;
}

const titles: Record<Form, string> = { table: 'Table', tree: 'Tree', raw: 'Raw text' };

export function JsonView({ value, text, label, fileName }: Props) {
  const table = useMemo(() => tableOf(value), [value]);
  const [form, setForm] = useState<Form>(table ? 'table' : 'tree');
  const written = () => text ?? writeExact(value, '  ');
  return (
    <div className="json-view">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a group of inputs */}
      <div className="json-forms buttons" role="group" aria-label={`Form of ${label}`}>
        {(table ? ['table', 'tree', 'raw'] : ['tree', 'raw']).map((each) => (
          <button
            key={each}
            type="button"
            className="quiet"
            aria-pressed={form === each}
            onClick={() => setForm(each as Form)}
          >
            {titles[each as Form]}
          </button>
        ))}
        <button type="button" className="quiet" onClick={() => copyText(written(), label)}>
          Copy
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => download(`${fileName}.json`, [written()], 'application/json')}
        >
          Save
        </button>
      </div>
      {form === 'table' && table && <JsonTable table={table} label={label} />}
      {form === 'tree' && <JsonTree value={value} label={label} />}
      {form === 'raw' && <LongText text={written()} label={label} />}
    </div>
  );
}
