// Values in the JSON form of OTLP.

export interface OtlpAttribute {
  key: string;
  value: { stringValue: string } | { intValue: string };
}

/** Undefined values are left out. */
export function otlpAttributes(values: Readonly<Record<string, string | number | undefined>>): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }];
  });
}

/** A number of nanoseconds since 1970 is beyond the exact integers of a double. */
export function otlpNanos(dateMs: number): string {
  const wholeMs = Math.floor(dateMs);
  return String(BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((dateMs - wholeMs) * 1_000_000)));
}

export const SpanKind = { server: 2, client: 3 } as const;
export const STATUS_ERROR = 2;
