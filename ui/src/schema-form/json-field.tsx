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
  const text = draft ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
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
        onBlur={() => fault === undefined && setDraft(undefined)}
      />
      {fault !== undefined && (
        <p className="field-fault" id={`${id}fault`}>
          No JSON yet: {fault}
        </p>
      )}
    </>
  );
}
