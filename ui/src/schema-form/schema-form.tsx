// Arguments as a form or as raw JSON. Both edit the same value. Schema violations are shown at their fields.

import { type ReactNode, useEffect, useId, useMemo, useState } from 'react';
import type { Schema } from '../api/shapes.ts';
import { plainOf } from '../json/exact-json.ts';
import { Tabs } from '../parts/tabs.tsx';
import { visible } from '../text/visible.ts';
import { type Choices, checkValue, type Fault } from './check-value.ts';
import type { Suggest } from './completed-field.tsx';
import { Field } from './fields.tsx';
import { JsonField } from './json-field.tsx';
import { faultWords } from './refusal.tsx';
import { type Draft, FormContext, WHOLE } from './use-draft.ts';
import { whileReleased } from './while-released.ts';

interface Props {
  schema: Schema;
  draft: Draft;
  label: string;
  suggest?: Suggest | undefined;
}

const CHECK_DELAY_MS = 250;

export function SchemaForm({ schema, draft, label, suggest }: Props) {
  const { value, mode, choices } = draft;
  const id = useId();
  const [touched, setTouched] = useState(false);
  const found = useFaults(value, schema, choices);
  const faults = draft.refusal?.faults ?? (touched ? found : []);
  const state = useMemo(() => ({ draft, faults: byPlace(faults), suggest }), [draft, faults, suggest]);
  const change = (next: unknown, text?: string) => {
    setTouched(true);
    draft.change(next, text);
  };
  return (
    <div className="schema-form">
      <FormContext value={state}>
        <Tabs
          label={`Input of ${label}`}
          tabs={[
            { key: 'form', title: 'Form' },
            { key: 'json', title: 'JSON' },
          ]}
          chosen={mode}
          onChoose={draft.show}
        >
          {mode === 'json' ? (
            <div className="field">
              <label htmlFor={id}>{label} as JSON</label>
              <JsonField
                id={id}
                path={WHOLE}
                rows={10}
                value={value}
                onChange={(next, text) => change(next ?? {}, text)}
              />
            </div>
          ) : (
            <div className="fields">
              {draft.typed[WHOLE] !== undefined && (
                <p className="note">
                  The JSON tab has text that is not valid JSON. The form shows the last valid values; a change here
                  replaces that text.
                </p>
              )}
              <Field
                name={label}
                path="#"
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
      </FormContext>
      {mode === 'json' && !draft.refusal && <Faults faults={faults} />}
    </div>
  );
}

function Faults({ faults }: { faults: readonly Fault[] }): ReactNode {
  if (faults.length === 0) return null;
  return (
    <ul className="faults" aria-label="Schema violations">
      {faults.map((fault) => (
        <li key={faultWords(fault)}>{visible(faultWords(fault))}</li>
      ))}
    </ul>
  );
}

function byPlace(faults: readonly Fault[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { place, message } of faults) places.set(place, [...(places.get(place) ?? []), message]);
  return places;
}

function useFaults(value: unknown, schema: Schema, choices: Choices): Fault[] {
  const [faults, setFaults] = useState<Fault[]>([]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const found = await checkValue(value, schema, choices);
      whileReleased(() => {
        if (current) setFaults(found);
      });
    }, CHECK_DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [value, schema, choices]);
  return faults;
}
