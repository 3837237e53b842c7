// A value edited as JSON. Invalid text is kept and reported. The form cannot be sent until it is valid.

import { useState } from 'react';
import { parseExact, writeExact } from '../json/exact-json.ts';
import { useFieldFault, useTyped } from './use-draft.ts';

interface Props {
  id: string;
  path: string;
  value: unknown;
  rows?: number;
  onChange(value: unknown, text?: string): void;
}

export function JsonField({ id, path, value, rows = 2, onChange }: Props) {
  /** The valid text as typed. It is not reformatted while focused, because the elements below would move. */
  const [draft, setDraft] = useState<string>();
  const [invalid, keepInvalid] = useTyped(path);
  const fault = invalid === undefined ? undefined : faultOf(invalid);
  useFieldFault(path, fault);
  const text = invalid ?? (draft !== undefined && means(draft, value) ? draft : written(value));
  const change = (next: string) => {
    setDraft(next);
    if (faultOf(next) !== undefined) return keepInvalid(next);
    keepInvalid(undefined);
    if (next.trim() === '') onChange(undefined);
    else onChange(parseExact(next), next);
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

function faultOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Not valid JSON: ${(error as Error).message}`;
  }
}

function written(value: unknown): string {
  return value === undefined ? '' : writeExact(value, '  ');
}

function means(draft: string, value: unknown): boolean {
  if (draft.trim() === '') return value === undefined || writeExact(value) === '{}';
  if (faultOf(draft) !== undefined) return false;
  return writeExact(parseExact(draft)) === writeExact(value);
}
