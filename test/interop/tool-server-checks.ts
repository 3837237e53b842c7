// Checks for servers with tools only: other features are absent, and the client works without them.

import { expect } from 'vitest';
import type { AnyClient } from './any-client.ts';
import { Absent } from './families.ts';
import { type Check, type Checks, standardChecks } from './standard-checks.ts';

type Own = 'connect' | 'tools' | 'tool error' | 'structured output';

/** `tool`: a tool without arguments that changes nothing. */
export function toolServerChecks(tool: string): Omit<Checks, Own> {
  return {
    resources: undeclared('resources'),
    subscriptions: undeclared('resources'),
    prompts: undeclared('prompts'),
    completion: undeclared('completions'),
    logging: undeclared('logging'),

    async progress(client) {
      const steps: number[] = [];
      await client.callTool(tool, {}, { onProgress: (step) => steps.push(step) });
      expect(steps).toEqual([]);
      return new Absent('no tool of the server reports progress');
    },

    async cancellation(client) {
      const abort = new AbortController();
      const call = client.callTool(tool, {}, { signal: abort.signal });
      abort.abort(new Error('changed my mind'));
      await expect(call).rejects.toThrow('changed my mind');
      expect(await client.callTool(tool, {})).not.toMatchObject({ isError: true });
      expect(sent(client, 'notifications/cancelled')).toBe(true);
      return undefined;
    },

    async 'list changed'(client) {
      await client.listTools();
      expect(sent(client, 'notifications/tools/list_changed')).toBe(false);
      return new Absent('the lists of the server never change');
    },

    async pagination(client) {
      await client.listTools();
      return new Absent('one page for everything');
    },

    elicitation: neverAsked('elicitation/create'),
    sampling: neverAsked('sampling/createMessage'),
    roots: neverAsked('roots/list'),
    ping: standardChecks.ping,
  };
}

function undeclared(capability: 'resources' | 'prompts' | 'completions' | 'logging'): Check {
  return async ({ capabilities }) => {
    expect(capabilities[capability]).toBe(undefined);
    return new Absent(`the server has no ${capability}`);
  };
}

function neverAsked(method: string): Check {
  return async ({ asked }) => {
    expect(asked).not.toContain(method);
    return new Absent('the server never asks its client');
  };
}

/** Whether either side has sent the method. */
function sent(client: AnyClient, method: string): boolean {
  return client.wire().some(({ message }) => (message as { method?: string }).method === method);
}
