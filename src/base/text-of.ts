// Converts a value from a peer to text. `String` throws for an object such as `{ "toString": 1 }`, which any peer can send.

export function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
