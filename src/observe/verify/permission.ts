// Which recorded requests may be sent again: those without effects, and those that the caller allowed.

import { canonicalJson } from '../../base/canonical-json.ts';
import { globMatcher } from '../../base/glob.ts';
import { isObject } from '../../base/json-object.ts';
import type { Params } from '../../mcp/service.ts';
import type { AllowedCall } from './options.ts';
import type { Step } from './steps.ts';

interface Permitted {
  readonly isNamed: (name: string) => boolean;
  readonly arguments: string | undefined;
}

export class Permission {
  readonly #allowed: readonly Permitted[];

  constructor(allowed: readonly (string | AllowedCall)[]) {
    this.#allowed = allowed.map((each) => {
      const { name, arguments: args } = typeof each === 'string' ? { name: each } : each;
      return { isNamed: globMatcher(name), arguments: args && canonicalJson(args) };
    });
  }

  /** Returns the reason why a request may not be sent. `isReadOnly`: whether the server declares a tool as read-only. */
  async refusal({ exchange, facts }: Step, params: Params, isReadOnly: (tool: string) => Promise<boolean>) {
    const { method } = exchange;
    if (method === 'tools/call') {
      // The name that is sent, which may have come from an answer. A server may accept an array with one name as the name.
      const { name } = params;
      if (typeof name !== 'string') return 'The name of the tool is not a string';
      if (this.#allows(name, params.arguments) || (await isReadOnly(name))) return undefined;
      return 'The tool is not marked as read-only: allow the call with --allow-calls';
    }
    // Requests about a task belong to the call that created it.
    if (facts?.repeat === 'always' || method.startsWith('tasks/') || this.#allows(method, params)) return undefined;
    return `${method} may have effects: allow it with --allow-calls ${method}`;
  }

  #allows(name: string, args: unknown): boolean {
    const given = canonicalJson(isObject(args) ? args : {});
    return this.#allowed.some(
      ({ isNamed, arguments: only }) => isNamed(name) && (only === undefined || only === given),
    );
  }
}
