// Assigns each server a unique colour, in the order of the host. The first eight are chosen by hand, further ones are computed.

const chosen = ['#3b82f6', '#d97706', '#8b5cf6', '#db2777', '#0d9488', '#65a30d', '#dc5a3c', '#0891b2'];
/** Degrees. Steps of this angle distribute any number of hues evenly. */
const GOLDEN_ANGLE = 137.508;

const places = new Map<string, number>();

/** Clients come and go, so their colour follows from their name: it is the same after a reload. */
export function clientColour(name: string): string {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) | 0;
  return `hsl(${(Math.abs(hash * GOLDEN_ANGLE) % 360).toFixed(1)} 60% ${hash % 2 === 0 ? 42 : 55}%)`;
}

export function serverColour(name: string): string {
  let place = places.get(name);
  if (place === undefined) {
    place = places.size;
    places.set(name, place);
  }
  return chosen[place] ?? `hsl(${((place * GOLDEN_ANGLE) % 360).toFixed(1)} 60% ${place % 2 === 0 ? 42 : 55}%)`;
}
