import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastingPart, listedName, listedUri, partsOfUri, serverParts, splitListedName } from './listed-names.ts';

const odd = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '.', '/', ' ', 'é', '漢'), maxLength: 80 }),
  fc.constantFrom('a', 'a_', 'a__', 'a__b', '_', '', 'get_weather', 'x'.repeat(64), 'x'.repeat(65)),
);

/** The name in the merged list of these servers. */
function listedIn(servers: readonly string[], server: string, name: string): string {
  return listedName(serverParts(servers).get(server)!, name);
}

describe('the name of a tool or prompt', () => {
  test('consists of the server and the name if both are plain', () => {
    expect(listedIn(['github'], 'github', 'create_issue')).toBe('github__create_issue');
    expect(listedIn(['my-files'], 'my-files', '__init__')).toBe('my-files____init__');
  });

  test('is readable for a server with other characters if that form is unique', () => {
    expect(listedIn(['files@two', 'files'], 'files@two', 'read')).toBe('files_two__read');
    expect(listedIn(['My Files!'], 'My Files!', 'read')).toBe('My_Files__read');
    expect(listedIn(['a__b'], 'a__b', 'c')).toBe('a_b__c');
  });

  test('has a hash in the prefix of a server whose readable form is not unique', () => {
    const both = ['files@two', 'files.two'];
    for (const server of both) expect(listedIn(both, server, 'x')).toMatch(/^files_two_[0-9a-f]{8}__x$/);
    expect(listedIn(['files@two', 'files_two'], 'files_two', 'x')).toBe('files_two__x');
    expect(listedIn(['files@two', 'files_two'], 'files@two', 'x')).toMatch(/^files_two_[0-9a-f]{8}__x$/);
    expect(listedIn(['\u6f22'], '\u6f22', 'x')).toMatch(/^_[0-9a-f]{8}__x$/);
    expect(listedIn(['x'.repeat(33)], 'x'.repeat(33), 'y')).toMatch(/^x{23}_[0-9a-f]{8}__y$/);
  });

  test('has a hash in a name that had to be changed', () => {
    expect(listedName('files', 'read.file')).toMatch(/^files__read_file_[0-9a-f]{8}$/);
    expect(listedName('files', 'x'.repeat(65))).toMatch(/^files__x{48}_[0-9a-f]{8}$/);
  });

  test('is unique, and valid for common hosts', () => {
    const names = fc.uniqueArray(fc.tuple(odd, odd), { selector: JSON.stringify, maxLength: 30 });
    fc.assert(
      fc.property(names, (pairs) => {
        const parts = serverParts(new Set(pairs.map(([server]) => server)));
        const listed = pairs.map(([server, name]) => listedName(parts.get(server)!, name));
        for (const each of listed) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(listed).size).toBe(pairs.length);
      }),
    );
  });

  test('contains its server, and the original name unless it had to be changed', () => {
    fc.assert(
      fc.property(fc.uniqueArray(odd, { minLength: 1 }), odd, (servers, name) => {
        const [server] = servers as [string];
        const chosen = serverParts(servers).get(server)!;
        for (const part of [chosen, lastingPart(server)]) {
          const { part: found, name: own, isOwn } = splitListedName(listedName(part, name))!;
          expect(found).toBe(part);
          if (isOwn) expect(own).toBe(name);
        }
      }),
    );
  });
});

test('the listed form of a shared URI is a URI that contains the server and the original URI', () => {
  const listed = listedUri('My Files', 'file:///a%20b/{+path}?x#y');
  expect(listed).toBe('standpipe://My%20Files/file:///a%20b/{+path}?x#y');
  expect(partsOfUri(listed)).toEqual({ server: 'My Files', uri: 'file:///a%20b/{+path}?x#y' });
  expect(new URL(listedUri('b', 'notes://shared/1')).href).toBe('standpipe://b/notes://shared/1');
  expect(partsOfUri('notes://shared')).toBeUndefined();
  expect(partsOfUri('standpipe://%E0%A4%A/x')).toBeUndefined();
});
