// A value edited as JSON. Invalid text is kept and reported. The form cannot be sent until it is valid.

import { useState } from 'react';
import { parseExact, writeExact } from '../json/exact-json.ts';
import { useFieldFault } from './use-draft.ts';

interface Props {
  id: string;
  value: unknown;
  rows?: number;
  onChange(value: unknown, text?: string): void;
}

export function JsonField({ id, value, rows = 2, onChange }: Props) {
  const [draft, setDraft] = useState<string>();
  const [fault, setFault] = useState<string>();
  useFieldFault(id, fault);
  // The text is not reformatted while focused, because the elements below would move.
  const text = draft !== undefined && (fault !== undefined || means(draft, value)) ? draft : written(value);
  const change = (next: string) => {
    setDraft(next);
    try {
      if (next.trim() === '') onChange(undefined);
      else onChange(parseExact(next), next);
      setFault(undefined);
    } catch (error) {
      setFault(`Not valid JSON: ${(error as Error).message}`);
    }
  };
  return (
    <>
      <textarea
        id={id}
        className="mono"
        rows={rows}
        spellCheck={false}
        value={text}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}fault`}
        onChange={(event) => change(event.target.value)}
      />
      {fault !== undefined && (
        <p className="field-fault" id={`${id}fault`}>
          {fault}
        </p>
      )}
    </>
  );
}

function written(value: unknown): string {
  return value === undefined ? '' : writeExact(value, '  ');
}

function means(draft: string, value: unknown): boolean {
  if (draft.trim() === '') return value === undefined || writeExact(value) === '{}';
  return writeExact(parseExact(draft)) === writeExact(value);
}
