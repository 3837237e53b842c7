// The unsent value of a form, with everything that the user has typed: text that is not valid yet, and the chosen alternatives. A field
// with invalid text always prevents sending. A schema violation prevents it unless the user confirms, because testing a server includes
// sending invalid values. Fields are named by their place in the value, a JSON pointer that begins with `#`.

import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Schema } from '../api/shapes.ts';
import { type Choices, checkValue, type Fault } from './check-value.ts';
import type { Suggest } from './completed-field.tsx';

export interface Held {
  value: unknown;
  /** The JSON as typed, if the last change was made in the JSON tab. */
  text?: string | undefined;
  mode: 'form' | 'json';
  /** Texts that are not valid yet, by place. */
  typed: Readonly<Record<string, string>>;
  choices: Choices;
}

/** Where an unsent value is kept while its form is not shown. */
export interface DraftKeeper {
  read(): Held | undefined;
  keep(held: Held): void;
}

export interface Draft extends Held {
  change(value: unknown, text?: string): void;
  show(mode: Held['mode']): void;
  /** `undefined`: the text of this place is valid. */
  type(place: string, text: string | undefined): void;
  choose(place: string, choice: Choices[string]): void;
  /** Replaces everything, as after “Again…”. */
  replace(value: unknown): void;
  /** Why the last attempt was not sent. `unfit`: the user may confirm and send. */
  refusal: { unfit: boolean; faults: Fault[] } | undefined;
  /** Resolves to true if the current value may be sent. */
  admits(anyway: boolean): Promise<boolean>;
  reportFault(place: string, fault: string | undefined): void;
}

const holding = (value: unknown): Held => ({ value, mode: 'form', typed: {}, choices: {} });

/** The place of the JSON tab, which holds the whole value. */
export const WHOLE = '#json';

export function useDraft(schema: Schema | undefined, first: () => unknown, keeper?: DraftKeeper): Draft {
  const [held, setHeld] = useState<Held>(() => keeper?.read() ?? holding(first()));
  const [refusal, setRefusal] = useState<Draft['refusal']>();
  const latest = useRef(held);
  const unreadable = useRef(new Map<string, string>());
  const [reportFault] = useState(() => (place: string, fault: string | undefined) => {
    if (fault === undefined) unreadable.current.delete(place);
    else unreadable.current.set(place, fault);
  });
  const put = (change: Partial<Held>) => {
    latest.current = { ...latest.current, ...change };
    setHeld(latest.current);
    keeper?.keep(latest.current);
  };
  return {
    ...held,
    change(value, text) {
      const { [WHOLE]: _, ...typed } = latest.current.typed;
      put({ value, text, typed });
      setRefusal(undefined);
    },
    show: (mode) => put({ mode }),
    type(place, text) {
      const { [place]: _, ...others } = latest.current.typed;
      put({ typed: text === undefined ? others : { ...others, [place]: text } });
    },
    choose: (place, choice) => put({ choices: { ...latest.current.choices, [place]: choice } }),
    replace(value) {
      put(holding(value));
      setRefusal(undefined);
    },
    refusal,
    async admits(anyway) {
      const faults = [...unreadable.current].map(([place, message]) => ({ place, message }));
      if (latest.current.typed[WHOLE] !== undefined && !unreadable.current.has(WHOLE)) {
        faults.push({ place: WHOLE, message: 'The text in the JSON tab is not valid JSON' });
      }
      if (faults.length > 0) {
        setRefusal({ unfit: false, faults });
        return false;
      }
      const { value, choices } = latest.current;
      const misfits = anyway || !schema ? [] : await checkValue(value, schema, choices);
      setRefusal(misfits.length > 0 ? { unfit: true, faults: misfits } : undefined);
      return misfits.length === 0;
    },
    reportFault,
  };
}

/** What the fields of a form share. */
export interface FormState {
  draft: Draft | undefined;
  /** The violations to show, by place. */
  faults: ReadonlyMap<string, readonly string[]>;
  /** Suggests values of text fields. */
  suggest?: Suggest | undefined;
}

export const FormContext = createContext<FormState>({ draft: undefined, faults: new Map() });

/** Text of a field that may be invalid. It survives a change of tabs, and prevents sending while `fault` is set. */
export function useTyped(place: string): [text: string | undefined, type: (text: string | undefined) => void] {
  const { draft } = useContext(FormContext);
  return [draft?.typed[place], (text) => draft?.type(place, text)];
}

/** Prevents sending while `fault` is set. */
export function useFieldFault(place: string, fault: string | undefined): void {
  const report = useContext(FormContext).draft?.reportFault;
  useEffect(() => {
    report?.(place, fault);
    return () => report?.(place, undefined);
  }, [place, fault, report]);
}

/** The violations at a place. */
export function useFaultsAt(place: string): readonly string[] {
  return useContext(FormContext).faults.get(place) ?? [];
}
