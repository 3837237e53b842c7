// What a form holds before it is sent, and what keeps it from being sent: a field whose text cannot be read always, a value that
// does not fit the schema unless it is sent on purpose. Testing a server includes sending what does not fit.

import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Schema } from '../api/shapes.ts';
import { checkValue } from './check-value.ts';

export interface Draft {
  value: unknown;
  /** The JSON as it was typed, where the newest change was made in the JSON tab. */
  text: string | undefined;
  change(value: unknown, text?: string): void;
  /** Why the last attempt did not send. `unfit`: it can be sent all the same. */
  refusal: { unfit: boolean; reasons: string[] } | undefined;
  /** Resolves to true where the value may be sent as it is now. */
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

/** Keeps the form from being sent while there is a fault. */
export function useFieldFault(id: string, fault: string | undefined): void {
  const report = useContext(ReportFault);
  useEffect(() => {
    report(id, fault);
    return () => report(id, undefined);
  }, [id, fault, report]);
}
