// The unsent value of a form. A field with invalid text always prevents sending. A schema violation prevents it unless the user
// confirms, because testing a server includes sending invalid values.

import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Schema } from '../api/shapes.ts';
import { checkValue } from './check-value.ts';

export interface Draft {
  value: unknown;
  /** The JSON as typed, if the last change was made in the JSON tab. */
  text: string | undefined;
  change(value: unknown, text?: string): void;
  /** Why the last attempt was not sent. `unfit`: the user may confirm and send. */
  refusal: { unfit: boolean; reasons: string[] } | undefined;
  /** Resolves to true if the current value may be sent. */
  admits(anyway: boolean): Promise<boolean>;
  reportFault(id: string, fault: string | undefined): void;
}

export function useDraft(schema: Schema | undefined, first: () => unknown): Draft {
  const [{ value, text }, setHeld] = useState<{ value: unknown; text?: string | undefined }>(() => ({
    value: first(),
  }));
  const [refusal, setRefusal] = useState<Draft['refusal']>();
  const unreadable = useRef(new Map<string, string>());
  const [reportFault] = useState(() => (id: string, fault: string | undefined) => {
    if (fault === undefined) unreadable.current.delete(id);
    else unreadable.current.set(id, fault);
  });
  return {
    value,
    text,
    change(next, nextText) {
      setHeld({ value: next, text: nextText });
      setRefusal(undefined);
    },
    refusal,
    async admits(anyway) {
      const faults = [...unreadable.current.values()];
      if (faults.length > 0) {
        setRefusal({ unfit: false, reasons: faults });
        return false;
      }
      const misfits = anyway || !schema ? [] : await checkValue(value, schema);
      setRefusal(misfits.length > 0 ? { unfit: true, reasons: misfits } : undefined);
      return misfits.length === 0;
    },
    reportFault,
  };
}

export const ReportFault = createContext<Draft['reportFault']>(() => undefined);

/** Prevents sending while `fault` is set. */
export function useFieldFault(id: string, fault: string | undefined): void {
  const report = useContext(ReportFault);
  useEffect(() => {
    report(id, fault);
    return () => report(id, undefined);
  }, [id, fault, report]);
}
