import { type KeyboardEvent, useContext, useState } from 'react';
import { parseExact, WrittenNumber, writeExact } from '../json/exact-json.ts';
import { visibleLine } from '../text/visible.ts';
import { CompletedField } from './completed-field.tsx';
import type { InputProps } from './fields.tsx';
import type { Meaning } from './read-schema.ts';
import { FormContext, useFieldFault, useTyped } from './use-draft.ts';

type Of<F extends Meaning['form']> = InputProps & { meaning: Extract<Meaning, { form: F }> };

const MOST_ROWS = 12;

export function StringField({ id, name, schema, meaning, value, required, describedBy, onChange }: Of<'string'>) {
  const { suggest } = useContext(FormContext);
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
        aria-describedby={describedBy}
        autoComplete={meaning.input === 'password' ? 'new-password' : 'off'}
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  if (suggest) return <CompletedField {...{ id, name, describedBy, suggest }} value={text} onChange={change} />;
  const lines = text.split('\n').length;
  return (
    <textarea
      id={id}
      rows={Math.min(lines, MOST_ROWS)}
      value={text}
      placeholder={hint}
      aria-describedby={describedBy}
      title="Enter sends the form, Shift+Enter begins a new line"
      onKeyDown={(event) => submitLine(event, lines)}
      onChange={(event) => change(event.target.value)}
    />
  );
}

/** Enter sends a text of one line, as in an input. A text of several lines gets another one. */
function submitLine(event: KeyboardEvent<HTMLTextAreaElement>, lines: number): void {
  if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || lines > 1) return;
  if (event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** A text input, because an input of type number rounds long numbers and drops incomplete text such as "1e". */
export function NumberField({ id, path, meaning, value, describedBy, onChange }: Of<'number'>) {
  const [typed, setTyped] = useState<string>();
  const [invalid, keepInvalid] = useTyped(path);
  const fault = invalid === undefined ? undefined : `Not a number: ${invalid}`;
  useFieldFault(path, fault);
  const known = typeof value === 'number' || value instanceof WrittenNumber ? writeExact(value) : '';
  const isCurrent = typed !== undefined && writeExact(numberOf(typed) ?? undefined) === writeExact(value);
  return (
    <>
      <input
        id={id}
        type="text"
        inputMode={meaning.integer ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={invalid ?? (isCurrent ? typed : known)}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? describedBy : `${id}fault`}
        onChange={(event) => {
          const { value: next } = event.target;
          const number = numberOf(next);
          setTyped(next);
          keepInvalid(number === null ? next : undefined);
          onChange(number ?? undefined);
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
