/** Forgets the oldest entries of a map that has grown beyond its limit: names and numbers that a peer can invent. */
export function keepNewest(map: Map<unknown, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
