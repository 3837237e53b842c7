import { useState } from 'react';
import { parseExact, WrittenNumber, writeExact } from '../json/exact-json.ts';
import { visibleLine } from '../text/visible.ts';
import type { InputProps } from './fields.tsx';
import type { Meaning } from './read-schema.ts';
import { useFieldFault } from './use-draft.ts';

type Of<F extends Meaning['form']> = InputProps & { meaning: Extract<Meaning, { form: F }> };

export function StringField({ id, schema, meaning, value, required, onChange }: Of<'string'>) {
  const text = typeof value === 'string' ? value : '';
  const change = (next: string) => onChange(next === '' && !required ? undefined : next);
  const hint = Array.isArray(schema.examples) ? String(schema.examples[0]) : undefined;
  if (meaning.input !== 'text') {
    return (
      <input
        id={id}
        type={meaning.input}
        value={text}
        placeholder={hint}
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  return <textarea id={id} rows={1} value={text} placeholder={hint} onChange={(event) => change(event.target.value)} />;
}

/** A text input, because an input of type number rounds long numbers and drops incomplete text such as "1e". */
export function NumberField({ id, meaning, value, onChange }: Of<'number'>) {
  const [typed, setTyped] = useState<string>();
  const fault = typed === undefined || numberOf(typed) !== null ? undefined : `Not a number: ${typed}`;
  useFieldFault(id, fault);
  const known = typeof value === 'number' || value instanceof WrittenNumber ? writeExact(value) : '';
  const isCurrent = typed !== undefined && (fault !== undefined || writeExact(numberOf(typed)) === writeExact(value));
  return (
    <>
      <input
        id={id}
        type="text"
        inputMode={meaning.integer ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={isCurrent ? typed : known}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}fault`}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(numberOf(event.target.value) ?? undefined);
        }}
      />
      {fault !== undefined && (
        <p className="field-fault" id={`${id}fault`}>
          {visibleLine(fault)}
        </p>
      )}
    </>
  );
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns undefined for an empty text, null for a text that is not a number. */
function numberOf(typed: string): unknown {
  const text = typed.trim();
  if (text === '') return undefined;
  if (jsonNumber.test(text)) return parseExact(text);
  return Number.isFinite(Number(text)) ? Number(text) : null;
}
