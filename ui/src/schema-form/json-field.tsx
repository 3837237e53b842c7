// A value written as JSON. What does not parse yet is kept as text and told; the value stays the last good one.

import { useState } from 'react';

interface Props {
  id: string;
  value: unknown;
  rows?: number;
  onChange(value: unknown): void;
  onFault?(fault: string | undefined): void;
}

export function JsonField({ id, value, rows = 2, onChange, onFault }: Props) {
  const [draft, setDraft] = useState<string>();
  const [fault, setFault] = useState<string>();
  // Never laid out anew while somebody is here: what lies below would jump away from under the pointer.
  const text = draft !== undefined && (fault !== undefined || means(draft, value)) ? draft : written(value);
  const change = (next: string) => {
    setDraft(next);
    let told: string | undefined;
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
    } catch (error) {
      told = (error as Error).message;
    }
    setFault(told);
    onFault?.(told);
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
          No JSON yet: {fault}
        </p>
      )}
    </>
  );
}

function written(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function means(draft: string, value: unknown): boolean {
  if (draft.trim() === '') return value === undefined || JSON.stringify(value) === '{}';
  return JSON.stringify(JSON.parse(draft)) === JSON.stringify(value);
}
