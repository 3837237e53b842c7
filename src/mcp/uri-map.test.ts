import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UriMap } from './uri-map.ts';

/** The rule of the specification: the resource itself, or a part of it. */
function isWithin(uri: string, resource: string): boolean {
  if (!uri.startsWith(resource)) return false;
  return uri.length === resource.length || resource.endsWith('/') || '/?#'.includes(uri[resource.length]!);
}

const uris = fc.string({ unit: fc.constantFrom('/', '?', '#', 'a', 'b'), maxLength: 6 });

test('finds the resources that a URI names or is a part of, after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(uris, { maxLength: 30 }), fc.array(uris, { maxLength: 10 }), uris, (added, deleted, uri) => {
      const map = new UriMap<string>();
      for (const each of added) map.set(each, each);
      for (const each of deleted) map.delete(each);
      const left = [...new Set(added)].filter((each) => !deleted.includes(each));
      expect([...map.containing(uri)].map(([each]) => each).sort()).toEqual(
        left.filter((each) => isWithin(uri, each)).sort(),
      );
      map.clear();
      expect([...map.containing(uri)]).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});
