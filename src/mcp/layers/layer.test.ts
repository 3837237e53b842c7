import { describe, expect, it } from 'vitest';
import { UsageError } from '../../base/errors.ts';
import type { Caller, Result, Service } from '../service.ts';
import { compose, forClients, outcomeLabel, type RequestOutcome, reportOutcome, type ServiceLayer } from './layer.ts';

const caller = { request: { jsonrpc: '2.0', id: 1, method: 'tools/call' } } as Caller;
const ownCaller = {} as Caller;

/** Adds its name to each result on the way back. */
const named =
  (name: string): ServiceLayer =>
  (next) =>
  (method, params, from) => {
    const result = next(method, { ...params, [name]: Object.keys(params).length }, from) as Result;
    return { ...result, [name]: true };
  };

describe('compose', () => {
  it('passes a request to the first layer first, and returns an immediate result without a promise', () => {
    const service = { request: (_method: string, params: object) => ({ params }) } as unknown as Service;
    const composed = compose(service, named('first'), named('second'));
    expect(composed.request('tools/call', {}, caller)).toEqual({
      params: { first: 0, second: 1 },
      first: true,
      second: true,
    });
  });

  it('passes other calls than requests to the service itself', async () => {
    const seen: unknown[][] = [];
    const note =
      (name: string) =>
      (...args: unknown[]) => {
        seen.push([name, ...args]);
        return name;
      };
    const members = ['describe', 'notify', 'watch', 'gone', 'tool'] as const;
    const service = Object.fromEntries(members.map((name) => [name, note(name)])) as unknown as Service;
    const composed = compose(service, () => () => {
      throw new Error('not a request');
    });
    for (const name of members) (composed[name] as (...args: unknown[]) => unknown)('given');
    expect(seen.map(([name, given]) => [name, given])).toEqual(members.map((name) => [name, 'given']));
  });

  it('finds a tool by name only if the service can', () => {
    expect(compose({} as Service).tool).toBeUndefined();
  });
});

it('forClients excludes requests of this process', () => {
  const service = { request: () => ({}) } as unknown as Service;
  const composed = compose(service, forClients(named('seen')));
  expect(composed.request('tools/list', {}, caller)).toEqual({ seen: true });
  expect(composed.request('tools/list', {}, ownCaller)).toEqual({});
});

describe('reportOutcome', () => {
  const failure = new UsageError('NAME_UNKNOWN', 'no such name');
  it.each([
    ['a result at once', () => ({ isError: true }), 'tool_error'],
    ['a result later', async () => ({}), 'ok'],
    ['an error later', () => Promise.reject(failure), 'NAME_UNKNOWN'],
    [
      'an error that is thrown',
      () => {
        throw new Error('of a server');
      },
      'error',
    ],
  ] as [string, () => Result | Promise<Result>, string][])(
    'reports %s once, before the caller sees it',
    async (_what, request, label) => {
      const order: string[] = [];
      const report = (outcome: RequestOutcome) => order.push(outcomeLabel(outcome));
      const ask = async () => reportOutcome(request, report);
      await ask().then(
        () => order.push('caller'),
        () => order.push('caller'),
      );
      expect(order).toEqual([label, 'caller']);
    },
  );
});
