/** A source for the Inspector. */
export function largeRecording(FlowStore: unknown, count: number): unknown;
