import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listedName, listedUri, partsOf, partsOfUri, serverPart } from './listed-names.ts';

const odd = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '.', '/', ' ', 'é', '漢'), maxLength: 80 }),
  fc.constantFrom('a', 'a_', 'a__', 'a__b', '_', '', 'get_weather', 'x'.repeat(64), 'x'.repeat(65)),
);

describe('the name of a tool or prompt', () => {
  test('is the server and the name where both are plain', () => {
    expect(listedName('github', 'create_issue')).toBe('github__create_issue');
    expect(listedName('my-files', '__init__')).toBe('my-files____init__');
  });

  test('has a hash in the part that had to be changed, and in no other', () => {
    expect(listedName('files', 'read.file')).toMatch(/^files__read_file_[0-9a-f]{8}$/);
    expect(listedName('My Files', 'read')).toMatch(/^My_Files_[0-9a-f]{8}__read$/);
    expect(listedName('a__b', 'c')).toMatch(/^a_b_[0-9a-f]{8}__c$/);
    expect(listedName('files', 'x'.repeat(65))).toMatch(/^files__x{48}_[0-9a-f]{8}$/);
  });

  test('is never that of another pair, and fits what hosts allow', () => {
    const names = fc.uniqueArray(fc.tuple(odd, odd), { selector: JSON.stringify, maxLength: 30 });
    fc.assert(
      fc.property(names, (pairs) => {
        const listed = pairs.map(([server, name]) => listedName(server, name));
        for (const each of listed) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(listed).size).toBe(pairs.length);
      }),
    );
  });

  test('tells its server, and the own name unless that was changed', () => {
    fc.assert(
      fc.property(odd, odd, (server, name) => {
        const { part, name: own, isOwn } = partsOf(listedName(server, name))!;
        expect(part).toBe(serverPart(server));
        if (isOwn) expect(own).toBe(name);
      }),
    );
  });
});

test('a URI that several servers have is a URI again, and the server and its URI can be read from it', () => {
  const listed = listedUri('My Files', 'file:///a%20b/{+path}?x#y');
  expect(listed).toBe('standpipe://My%20Files/file:///a%20b/{+path}?x#y');
  expect(partsOfUri(listed)).toEqual({ server: 'My Files', uri: 'file:///a%20b/{+path}?x#y' });
  expect(new URL(listedUri('b', 'notes://shared/1')).href).toBe('standpipe://b/notes://shared/1');
  expect(partsOfUri('notes://shared')).toBeUndefined();
  expect(partsOfUri('standpipe://%E0%A4%A/x')).toBeUndefined();
});
