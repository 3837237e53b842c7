export function readTable(): Map<string, Record<string, string>>;
