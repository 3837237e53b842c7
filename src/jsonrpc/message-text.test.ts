import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { messageText, OwnRequest, OwnResult, SharedParam, SharingRequest } from './message-text.ts';

const id = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: 'binary' }));
const members = fc.dictionary(fc.string(), fc.jsonValue());

test('a request and a result have the text that JSON.stringify gives them', () => {
  fc.assert(
    fc.property(id, fc.string({ unit: 'binary' }), members, (id, method, members) => {
      for (const message of [new OwnRequest(id, method, members), new OwnResult(id, members)]) {
        expect(messageText(message)).toBe(JSON.stringify(message));
      }
    }),
  );
});

test('a parameter that requests share is the last one of each', () => {
  fc.assert(
    fc.property(id, members, fc.jsonValue(), (id, members, value) => {
      const { shared: _, ...others } = members;
      const request = new SharingRequest(id, 'm', others, new SharedParam('shared', value));
      expect(messageText(request)).toBe(messageText(new OwnRequest(id, 'm', { ...others, shared: value })));
      expect(request.params).toEqual({ ...others, shared: value });
    }),
  );
});

test('what cannot be serialised says why', () => {
  expect(messageText(new OwnResult(1, { count: 1n }))).toBeInstanceOf(UsageError);
  expect(messageText(new OwnRequest(1, 'm', { count: 1n }))).toBeInstanceOf(UsageError);
});
