// Arguments as a form or as raw JSON. Both edit the same value. Schema violations are listed.

import { useEffect, useId, useState } from 'react';
import type { Schema } from '../api/shapes.ts';
import { plainOf } from '../json/exact-json.ts';
import { Tabs } from '../parts/tabs.tsx';
import { visible } from '../text/visible.ts';
import { checkValue } from './check-value.ts';
import { Field } from './fields.tsx';
import { JsonField } from './json-field.tsx';
import { type Draft, ReportFault } from './use-draft.ts';
import { whileReleased } from './while-released.ts';

interface Props {
  schema: Schema;
  draft: Draft;
  label: string;
}

const CHECK_DELAY_MS = 250;

export function SchemaForm({ schema, draft, label }: Props) {
  const { value } = draft;
  const id = useId();
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [touched, setTouched] = useState(false);
  const found = useFaults(value, schema);
  const faults = touched && !draft.refusal ? found : [];
  const change = (next: unknown, text?: string) => {
    setTouched(true);
    draft.change(next, text);
  };
  const empty =
    Object.keys((schema.properties ?? {}) as object).length === 0 && !schema.oneOf && !schema.anyOf && !schema.$ref;
  return (
    <div className="schema-form">
      <ReportFault value={draft.reportFault}>
        <Tabs
          label={`Input of ${label}`}
          tabs={[
            { key: 'form', title: 'Form' },
            { key: 'json', title: 'JSON' },
          ]}
          chosen={mode}
          onChoose={setMode}
        >
          {mode === 'json' ? (
            <div className="field">
              <label htmlFor={id}>{label} as JSON</label>
              <JsonField id={id} rows={10} value={value} onChange={(next, text) => change(next ?? {}, text)} />
            </div>
          ) : empty ? (
            <p className="muted">Takes no arguments.</p>
          ) : (
            <div className="fields">
              <Field
                name={label}
                schema={schema}
                root={schema}
                value={plainOf(value, true)}
                required
                depth={0}
                onChange={(next) => change(next)}
              />
            </div>
          )}
        </Tabs>
      </ReportFault>
      {faults.length > 0 && (
        <ul className="faults" aria-label="Schema violations">
          {faults.map((fault) => (
            <li key={fault}>{visible(fault)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function useFaults(value: unknown, schema: Schema): string[] {
  const [faults, setFaults] = useState<string[]>([]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const found = await checkValue(value, schema);
      whileReleased(() => {
        if (current) setFaults(found);
      });
    }, CHECK_DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [value, schema]);
  return faults;
}
