// The definitions of one process run, limited to those that a person has approved. Every list is checked where it arrives from the server,
// so that no reader of a list gets another definition, and a call is checked against what the process that would run it lists now. Text of a
// definition that is not approved is in no result and in no error.

import { PeerError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { sameJson } from '../../base/same-json.ts';
import { unlessAborted } from '../../base/wait.ts';
import type { Catalogue } from '../catalogue.ts';
import { readAllPages } from '../client/pages.ts';
import { isLinked } from '../extensions/extension.ts';
import { SKILL_FILE } from '../extensions/skills/skill.ts';
import { listMethods, methodsOfMcp } from '../methods.ts';
import type { Era } from '../revisions.ts';
import { type Caller, type Params, type Result, type Service, type ServiceFacts, silentCaller } from '../service.ts';

/** A kind of definitions: a list, the contents of a resource that is meant for models or shown to people, or the instructions. */
export type DefinitionKind = 'tools' | 'prompts' | 'resourceTemplates' | 'skills' | 'contents' | 'instructions';

export interface Approvals {
  /** Whether definitions that are not approved are left out. Otherwise they are only reported. */
  readonly hides: boolean;
  /** Differs after each change of the approved definitions. */
  readonly version: unknown;
  /** Whether any definition of this name is approved. */
  has(kind: DefinitionKind, name: string): boolean;
  /** Checks a definition, and reports one that is not approved. */
  check(kind: DefinitionKind, name: string, definition: unknown): boolean;
  /** The error for a request that uses a definition that is not approved. `name` is the text of the client. */
  refusal(kind: DefinitionKind, name: unknown): Error;
}

const lists: ReadonlySet<string> = new Set<DefinitionKind>(['tools', 'prompts', 'resourceTemplates', 'skills']);
const LIMITS = { maxPages: 1_000, maxItems: 100_000, maxListBytes: 256 * 1024 * 1024 };

export class LockedDefinitions implements Service {
  /** The lists of this service, which its client reads. Must be set before the first call. */
  catalogue!: Catalogue;
  readonly #service: Service;
  readonly #approvals: Approvals;
  readonly #era: Era;
  /** Names that were approved in the last listing that had them, whoever asked for it. */
  readonly #approved = new Map<DefinitionKind, Set<string>>();
  /** The last page of each list, if all of it was approved. An equal page needs no further check. */
  readonly #wholePages = new Map<DefinitionKind, { version: unknown; entries: readonly unknown[] }>();

  constructor(service: Service, era: Era, approvals: Approvals) {
    this.#service = service;
    this.#era = era;
    this.#approvals = approvals;
  }

  describe(): ServiceFacts | Promise<ServiceFacts> {
    const facts = this.#service.describe();
    return facts instanceof Promise ? facts.then((each) => this.factsOf(each)) : this.factsOf(facts);
  }

  factsOf<F extends ServiceFacts>(facts: F): F {
    const { instructions } = facts;
    if (instructions === undefined || this.#approvals.check('instructions', '', instructions)) return facts;
    return this.#approvals.hides ? { ...facts, instructions: undefined } : facts;
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    const { list, merges, target } = methodsOfMcp.get(method) ?? {};
    const { member, nameKey } = list ?? merges ?? {};
    const send = () => this.#service.request(method, params, caller);
    if (member !== undefined && lists.has(member)) {
      return after(send(), (page) => this.#page(member as DefinitionKind, nameKey!, page));
    }
    if (!this.#approvals.hides && target?.list !== 'resources') return send();
    if (member === 'resources') return after(send(), (page) => this.#resources(page));
    const name = target?.list && params[target.parameter];
    if (target?.list === 'resources') return this.#resource(method, name, send);
    if (!target?.list) return send();
    const may = this.#mayUse(target.list, name, caller);
    if (may === true) return send();
    if (may === false) return this.#refused(target.list, name);
    return may.then((isUsable) => (isUsable ? send() : this.#refused(target.list, name)));
  }

  notify(...given: Parameters<Service['notify']>): void | Promise<void> {
    return this.#service.notify(...given);
  }

  watch(...given: Parameters<Service['watch']>): ReturnType<Service['watch']> {
    return this.#service.watch(...given);
  }

  gone(...given: Parameters<NonNullable<Service['gone']>>): void {
    this.#service.gone?.(...given);
  }

  #page(kind: DefinitionKind, nameKey: string, page: Result): Result {
    const entries: unknown = page?.[kind];
    if (!Array.isArray(entries)) return page;
    const whole = this.#wholePages.get(kind);
    if (whole && whole.version === this.#approvals.version && sameJson(whole.entries, entries)) return page;
    const approved = this.#approvedOf(kind);
    const refused = new Set<string>();
    const kept: unknown[] = [];
    for (const entry of entries) {
      const name: unknown = isObject(entry) ? entry[nameKey] : undefined;
      const isNamed = typeof name === 'string';
      if (this.#approvals.check(kind, isNamed ? name : '', entry) && isNamed) {
        approved.add(name);
        kept.push(entry);
      } else if (isNamed) refused.add(name);
    }
    // A list may have a name twice. Both definitions must be approved.
    for (const name of refused) approved.delete(name);
    if (kept.length === entries.length) this.#wholePages.set(kind, { version: this.#approvals.version, entries });
    else this.#wholePages.delete(kind);
    return kept.length === entries.length || !this.#approvals.hides ? page : { ...page, [kind]: kept };
  }

  #approvedOf(kind: DefinitionKind): Set<string> {
    const known = this.#approved.get(kind) ?? new Set();
    this.#approved.set(kind, known);
    return known;
  }

  /** Views and skills that are not approved are not listed either. Other resources are data. */
  #resources(page: Result): Result {
    const { resources } = page ?? {};
    if (!Array.isArray(resources)) return page;
    const isUsable = (uri: unknown) => !isContent(uri) || this.#approvals.has('contents', uri);
    const kept = resources.filter((entry) => isUsable(isObject(entry) ? entry.uri : undefined));
    return kept.length === resources.length ? page : { ...page, resources: kept };
  }

  #resource(method: string, uri: unknown, send: () => Result | Promise<Result>): Result | Promise<Result> {
    const { hides } = this.#approvals;
    const checked = (kind: DefinitionKind, read: (result: Result) => unknown) =>
      after(send(), (result) => {
        const isApproved = this.#approvals.check(kind, typeof uri === 'string' ? uri : '', read(result));
        return isApproved || !hides ? result : this.#refused(kind, uri);
      });
    if (method === 'skills/get') {
      if (hides && !this.#has('skills', uri)) return this.#refused('skills', uri);
      return checked('skills', ({ skill }) => skill);
    }
    if (!isContent(uri)) return send();
    if (hides && !this.#has('contents', uri)) return this.#refused('contents', uri);
    return method === 'resources/read' ? checked('contents', ({ contents }) => contents) : send();
  }

  #has(kind: DefinitionKind, name: unknown): name is string {
    return typeof name === 'string' && this.#approvals.has(kind, name);
  }

  #refused(kind: DefinitionKind, name: unknown): Promise<never> {
    return Promise.reject(this.#approvals.refusal(kind, name));
  }

  /** Returns a value instead of a promise if the server announces changes of its list and has announced none. */
  #mayUse(list: 'tools' | 'prompts', name: unknown, caller: Caller): boolean | Promise<boolean> {
    if (!this.#has(list, name)) return false;
    if (this.catalogue.valid(list) && this.catalogue.current(list)?.has(name)) return this.#wasApproved(list, name);
    return this.#mayUseListed(list, name, caller);
  }

  async #mayUseListed(list: 'tools' | 'prompts', name: string, { client, signal }: Caller): Promise<boolean> {
    try {
      const read = this.catalogue.valid(list) ? undefined : this.catalogue.reread(list);
      if (read) await (signal ? unlessAborted(read, signal) : read);
      if (this.catalogue.last(list).has(name)) return this.#wasApproved(list, name);
      // A server of 2026-07-28 may list more for this client than for the host. A server of an older revision does not distinguish its
      // clients.
      if (this.#era === 'legacy') return false;
      const request = (method: string, params: Params) => this.request(method, params, silentCaller(client, signal));
      const source = { server: { era: 'modern', capabilities: {} }, request } as const;
      const { items } = await readAllPages<{ name: string }>(source, listMethods[list], LIMITS, () => undefined);
      return items.some((entry) => entry.name === name) && this.#wasApproved(list, name);
    } catch (error) {
      throw notSent(error);
    }
  }

  #wasApproved(list: DefinitionKind, name: string): boolean {
    return this.#approvedOf(list).has(name);
  }
}

function after(
  result: Result | Promise<Result>,
  change: (result: Result) => Result | Promise<Result>,
): Result | Promise<Result> {
  return result instanceof Promise ? result.then(change) : change(result);
}

/**
 * Whether the URI may name a view of MCP Apps or the text of a skill. The test is tolerant, because a server that
 * parses URIs may ignore case and white space in the scheme.
 */
export function isContent(uri: unknown): uri is string {
  return typeof uri === 'string' && (isLinked(uri) || (/skill\s*:/i.test(uri) && uri.endsWith(`/${SKILL_FILE}`)));
}

/** Only the request for the list was lost. The call was not sent, so the next process can run it. */
function notSent(error: unknown): unknown {
  if (!(error instanceof PeerError) || error.code !== 'OUTCOME_UNKNOWN') return error;
  const { evidence } = error;
  return new PeerError('NOT_SENT', 'The connection was lost before the call was sent', { evidence, cause: error });
}
