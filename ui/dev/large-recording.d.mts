/** Returns a source of events for the Inspector. */
export function largeRecording(FlowStore: unknown, count: number): unknown;
