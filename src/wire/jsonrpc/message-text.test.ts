import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../../base/errors.ts';
import { messageText, OwnRequest, OwnResult, SharedMembers, SharingRequest, SharingResult } from './message-text.ts';

const id = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: 'binary' }));
const members = fc.dictionary(fc.string(), fc.jsonValue());

test('a request and a result have the text of JSON.stringify', () => {
  fc.assert(
    fc.property(id, fc.string({ unit: 'binary' }), members, (id, method, members) => {
      for (const message of [new OwnRequest(id, method, members), new OwnResult(id, members)]) {
        expect(messageText(message)).toBe(JSON.stringify(message));
      }
    }),
  );
});

test('shared members are written after the own members of each message', () => {
  fc.assert(
    fc.property(id, members, fc.jsonValue(), (id, members, value) => {
      const { first: _first, second: _second, ...own } = members;
      const shared = { first: value, second: { value } };
      const request = new SharingRequest(id, 'm', own, new SharedMembers(shared));
      expect(messageText(request)).toBe(messageText(new OwnRequest(id, 'm', { ...own, ...shared })));
      expect(request.params).toEqual({ ...own, ...shared });
      const result = new SharingResult(own, new SharedMembers(shared)) as unknown as Record<string, unknown>;
      expect(messageText(new OwnResult(id, result))).toBe(messageText(new OwnResult(id, { ...own, ...shared })));
      expect(JSON.stringify(result)).toBe(JSON.stringify({ ...own, ...shared }));
    }),
  );
});

test('names the reason if a value cannot be serialised', () => {
  expect(messageText(new OwnResult(1, { count: 1n }))).toBeInstanceOf(UsageError);
  expect(messageText(new OwnRequest(1, 'm', { count: 1n }))).toBeInstanceOf(UsageError);
  const list = new SharingResult([] as never, new SharedMembers({ a: 1 })) as never;
  expect(messageText(new OwnResult(1, list))).toBeInstanceOf(UsageError);
});
