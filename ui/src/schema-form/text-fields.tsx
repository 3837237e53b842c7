import { useState } from 'react';
import type { InputProps } from './fields.tsx';
import type { Meaning } from './read-schema.ts';

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

/** Keeps what was typed, so that "1e" on the way to "1e5" is not lost. */
export function NumberField({ id, schema, meaning, value, onChange }: Of<'number'>) {
  const [typed, setTyped] = useState<string>();
  const known = typeof value === 'number' ? String(value) : '';
  const shown = typed !== undefined && Number(typed) === (value ?? Number.NaN) ? typed : known;
  return (
    <input
      id={id}
      type="number"
      step={meaning.integer ? 1 : 'any'}
      min={typeof schema.minimum === 'number' ? schema.minimum : undefined}
      max={typeof schema.maximum === 'number' ? schema.maximum : undefined}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(event.target.value === '' ? undefined : Number(event.target.value));
      }}
    />
  );
}
