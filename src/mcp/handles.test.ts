import fc from 'fast-check';
import { expect, it } from 'vitest';
import { handle, readHandle } from './handles.ts';

it('encodes any owner and any id, and can be nested', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, text, (outer, inner, id) => {
      const nested = handle(outer, handle(inner, id));
      expect(readHandle(nested)).toEqual({ owner: outer, id: handle(inner, id) });
      expect(readHandle(readHandle(nested)!.id)).toEqual({ owner: inner, id });
    }),
  );
});

it.each([undefined, 7, '', 'standpipe:', 'standpipe:owner', 'standpipe:%/id', 'Standpipe:a/b', 'a/b'])(
  '%j is not a handle',
  (text) => expect(readHandle(text)).toBeUndefined(),
);
