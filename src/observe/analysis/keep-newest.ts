/** Deletes the oldest entries of a map that is over its limit: its keys may be invented by a peer. */
export function keepNewest(map: Map<unknown, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
