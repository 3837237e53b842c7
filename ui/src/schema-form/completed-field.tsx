// A text field whose values the server suggests as the user types: the ARIA pattern of a combobox with a list.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { visibleLine } from '../text/visible.ts';

/** Asks for the values that fit the typed text. */
export type Suggest = (name: string, typed: string) => Promise<readonly string[]>;

interface Props {
  id: string;
  name: string;
  value: string;
  describedBy: string | undefined;
  suggest: Suggest;
  onChange(value: string): void;
}

const TYPING_MS = 120;

export function CompletedField({ id, name, value, describedBy, suggest, onChange }: Props) {
  const list = useId();
  const [values, setValues] = useState<readonly string[]>([]);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const latest = useRef(0);
  const focused = useRef(false);
  const ask = (typed: string, delayMs: number) => {
    const round = ++latest.current;
    setTimeout(async () => {
      if (round !== latest.current) return; // more was typed
      const found = await suggest(name, typed).catch(() => []); // completion is a help: without it, the value is typed
      if (round !== latest.current || !focused.current) return;
      setValues(found);
      setAt(-1);
      setOpen(found.length > 0 && !(found.length === 1 && found[0] === typed));
    }, delayMs);
  };
  useEffect(() => () => void latest.current++, []);
  const choose = (chosen: string) => {
    latest.current++;
    onChange(chosen);
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' && !open) ask(value, 0);
    if (!open) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((at + step + values.length + (at < 0 && step < 0 ? 1 : 0)) % values.length);
    else if (event.key === 'Enter' && at >= 0) choose(values[at]!);
    else if (event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="combobox">
      <input
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={open}
        aria-controls={list}
        aria-activedescendant={open && at >= 0 ? `${list}${at}` : undefined}
        aria-describedby={describedBy}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          ask(event.target.value, TYPING_MS);
        }}
        onFocus={() => {
          focused.current = true;
          ask(value, 0);
        }}
        onBlur={() => {
          focused.current = false;
          setOpen(false);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={list}
        role="listbox"
        className="combobox-list"
        aria-label={`Values of ${visibleLine(name)}`}
        hidden={!open}
      >
        {values.map((each, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus, and its keys choose
          <div
            key={each}
            id={`${list}${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(each)}
          >
            {visibleLine(each)}
          </div>
        ))}
      </div>
    </div>
  );
}
