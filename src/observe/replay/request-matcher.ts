// Finds the recorded request that a client repeats, or describes how the nearest one differs.

import { RpcCode, RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import type { Params } from '../../mcp/service.ts';
import { type Difference, differencesOf, shownValue } from './differences.ts';
import { standsFor } from './placeholders.ts';
import { comparable, type RecordedExchange, requestKey, targetOf } from './recorded-exchange.ts';
import type { RecordedSession } from './recorded-session.ts';

/** Limits of the recorded requests, by number and by bytes, that are compared with a request that has no match. */
const MOST_COMPARED = 200;
const MOST_COMPARED_BYTES = 8 * 1024 * 1024;
const MOST_DIFFERENCES = 5;
const MOST_NAMES = 10;
const LONGEST_NAME = 200;

export class RequestMatcher {
  readonly #session: RecordedSession;
  readonly #isStrict: boolean;
  /** How often each request was received. */
  readonly #counts = new Map<string, number>();
  #next = 0;
  /** In strict order, requests are matched one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(session: RecordedSession, isStrict: boolean) {
    this.#session = session;
    this.#isStrict = isStrict;
  }

  /** Undefined if there is none. Rejects if the request is not the next one of a strict order. */
  find(method: string, params: Params): Promise<RecordedExchange | undefined> {
    if (isNestedTooDeeply(params)) return Promise.resolve(undefined);
    const compared = comparable(params);
    if (!this.#isStrict) return this.#any(method, compared);
    const found = this.#turn.then(() => this.#following(method, compared));
    this.#turn = found.catch(() => undefined);
    return found;
  }

  /** Explains why there is no match. */
  async refusal(method: string, params: Params): Promise<RpcError> {
    const name = nameOf(method, targetOf(method, params));
    if (isNestedTooDeeply(params)) return refused(`The parameters of ${name} are nested too deeply`);
    const sent = comparable(params);
    let nearest: { recorded: Params; distance: number } | undefined;
    let isCut = false;
    for await (const recorded of this.#like(method, targetOf(method, params))) {
      if (recorded === undefined) isCut = true;
      else {
        const distance = distanceOf(differencesOf(recorded, sent));
        if (!nearest || distance < nearest.distance) nearest = { recorded, distance };
      }
    }
    const damage = await this.#session.damage();
    const hint = damage === undefined ? '' : `. ${damage}`;
    if (nearest) {
      const difference = differing(nearest.recorded, sent);
      return refused(`No recorded request ${name} has these parameters. The nearest one has ${difference}${hint}`);
    }
    if (isCut) return cut(`The recorded request ${name} is incomplete`);
    const { exchanges } = await this.#session.read();
    const others = new Set<string>();
    for (const each of exchanges) {
      if (others.size < MOST_NAMES) others.add(nameOf(each.method, each.target));
    }
    const there = others.size > 0 ? `It has: ${[...others].join(', ')}` : 'It has no requests';
    return refused(`The recording has no request ${name}. ${there}${hint}`);
  }

  async #any(method: string, params: Params): Promise<RecordedExchange | undefined> {
    return (await this.#repeated(requestKey(method, params))) ?? (await this.#withPlaceholders(method, params));
  }

  /** The next exchange with this key, or the last one. */
  async #repeated(key: string): Promise<RecordedExchange | undefined> {
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1); // counted before the search, because the same request may arrive again during the search
    const found = await this.#session.find(key, count);
    if (!found) this.#counts.delete(key);
    return found;
  }

  /** A recorded value may be a placeholder for a secret that only the recording program knew. */
  async #withPlaceholders(method: string, params: Params): Promise<RecordedExchange | undefined> {
    const { exchanges } = await this.#session.read();
    const target = targetOf(method, params);
    const keys = new Set<string>();
    for (const exchange of exchanges) {
      if (!exchange.isMasked || exchange.method !== method || keys.size >= MOST_COMPARED) continue;
      if (keys.has(exchange.key) || !isTarget(exchange.target, target)) continue;
      keys.add(exchange.key);
      const recorded = await this.#paramsOf(exchange);
      if (recorded && isHidden(recorded, params)) return this.#repeated(exchange.key);
    }
    return undefined;
  }

  async #following(method: string, sent: Params): Promise<RecordedExchange> {
    const exchange = await this.#session.at(this.#next);
    if (!exchange) throw refused('All recorded requests were answered: the recording has no further request');
    const expected = await this.#paramsOf(exchange);
    const name = nameOf(exchange.method, exchange.target);
    if (!expected) throw cut(`The next recorded request, ${name}, is incomplete`);
    const isSame = exchange.method === method;
    if (isSame && (exchange.key === requestKey(method, sent) || (exchange.isMasked && isHidden(expected, sent)))) {
      this.#next++;
      return exchange;
    }
    const target = targetOf(method, sent);
    if (isSame && exchange.target === target) {
      throw refused(`The next recorded request is ${name} with ${differing(expected, sent)}`);
    }
    throw refused(`The next recorded request is ${name}, not ${nameOf(method, target)}`);
  }

  /**
   * The parameters of the exchanges with this method and target, or of those with this method if none has the target. Undefined for a
   * request that was too long to be recorded whole.
   */
  async *#like(method: string, target: string | undefined): AsyncGenerator<Params | undefined> {
    const { exchanges } = await this.#session.read();
    const ofMethod = exchanges.filter((each) => each.method === method);
    const ofTarget = ofMethod.filter((each) => each.target === target);
    const keys = new Set<string>();
    let bytes = 0;
    for (const exchange of ofTarget.length > 0 ? ofTarget : ofMethod) {
      if (keys.size >= MOST_COMPARED || bytes > MOST_COMPARED_BYTES) return;
      if (keys.has(exchange.key)) continue;
      keys.add(exchange.key);
      bytes += exchange.request?.length ?? 0;
      yield await this.#paramsOf(exchange);
    }
  }

  async #paramsOf({ request }: RecordedExchange): Promise<Params | undefined> {
    if (!request) return undefined;
    const { params } = await this.#session.file.message(request);
    return comparable(isObject(params) ? params : {});
  }
}

/** A member with a different value counts as nearer than an absent member. */
function distanceOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, { before, after }) => sum + (before === undefined || after === undefined ? 2 : 1), 0);
}

/** At most five differences, each with the recorded value first. */
function differing(recorded: Params, sent: Params): string {
  const found = differencesOf(recorded, sent);
  const shown = found
    .slice(0, MOST_DIFFERENCES)
    .map(({ path, before, after }) => `${shortName(path)} ${shownValue(before)} instead of ${shownValue(after)}`);
  const more = found.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more differences` : ''}`;
}

/** Whether the parameters differ only where the recorded ones have placeholders. */
function isHidden(recorded: Params, sent: Params): boolean {
  const found = differencesOf(recorded, sent, Number.MAX_SAFE_INTEGER);
  return found.every(({ before, after }) => standsFor(before, after));
}

function isTarget(recorded: string | undefined, sent: string | undefined): boolean {
  return recorded === sent || standsFor(recorded, sent);
}

export function nameOf(method: string, target: string | undefined): string {
  return target === undefined ? shortName(method) : `${shortName(method)} "${shortName(target)}"`;
}

function shortName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

function refused(message: string): RpcError {
  return new RpcError(RpcCode.invalidParams, message);
}

/** The error for a message of which the recording has only the beginning and the end. */
export function cut(problem: string): RpcError {
  const why = 'it was longer than the recorder keeps. Record it again with a larger --keep-bytes';
  return new RpcError(RpcCode.internalError, `${problem}: ${why}`);
}
