// What all connections of a server share: who it is, what it offers, and the rules it serves by.

import type { Clock } from '../../base/clock.ts';
import { SERVER_INFO } from '../meta.ts';
import type { CacheHints, Implementation, InputRequest, Meta, ServerCapabilities } from '../types.ts';
import type { Registry } from './registry.ts';
import { SuspendedCalls } from './suspended-calls.ts';

export interface ServerOptions {
  /** How to use this server, for the model that will. */
  instructions?: string;
  /** Beyond what follows from the tools, resources and prompts that are declared when a client connects. */
  capabilities?: ServerCapabilities;
  /** How many tools, resources or prompts a page of a list has. */
  pageSize?: number;
  /** 2026-07-28: how long clients may keep lists and contents. Not at all, unless said otherwise. */
  cache?: CacheHints;
  /** How long a client may take to answer a question of a handler. A person may be behind it. */
  askTimeoutMs?: number;
  /** 2026-07-28: how many handlers may wait for their clients' answers at a time; the oldest gives way. */
  maxSuspended?: number;
  /** 2026-07-28: how many bytes their requests may have in all. */
  maxSuspendedBytes?: number;
  /** 2026-07-28: how long they outlive their connection, for a client that resumes on another. Not at all by default. */
  orphanedMs?: number;
  /** How many requests of a client run at a time, and how many more may wait. */
  maxConcurrent?: number;
  maxQueued?: number;
  /** How many bytes those that run and wait may have in all. */
  maxInboundBytes?: number;
  clock?: Clock;
}

const cacheable = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

export class ServerCore {
  readonly suspended: SuspendedCalls;
  readonly pageSize: number;
  readonly askTimeoutMs: number;
  readonly instructions: string | undefined;
  readonly info: Implementation;
  readonly registry: Registry;
  readonly #options: ServerOptions;
  readonly #cache: Required<CacheHints>;
  #capabilities: ServerCapabilities | undefined;
  #elicitations = 0;

  constructor(info: Implementation, registry: Registry, options: ServerOptions, clock: Clock) {
    this.info = info;
    this.registry = registry;
    this.#options = options;
    this.instructions = options.instructions;
    this.pageSize = options.pageSize ?? 250;
    this.askTimeoutMs = options.askTimeoutMs ?? 10 * 60_000;
    this.#cache = { ttlMs: 0, cacheScope: 'private', ...options.cache };
    this.suspended = new SuspendedCalls({
      clock,
      maxSuspended: options.maxSuspended ?? 1000,
      maxSuspendedBytes: options.maxSuspendedBytes ?? 256 * 1024 * 1024,
      suspendedMs: this.askTimeoutMs,
      orphanedMs: options.orphanedMs ?? 0,
    });
  }

  /** Follows from what is declared. Looked up on every request, so it is worked out once. */
  get capabilities(): ServerCapabilities {
    this.#capabilities ??= this.#offered();
    return this.#capabilities;
  }

  declarationsChanged(): void {
    this.#capabilities = undefined;
  }

  #offered(): ServerCapabilities {
    const { tools, resources, templates, prompts } = this.registry;
    const completes = [...templates.entries(), ...prompts.entries()].some(
      ({ completers }) => Object.keys(completers).length > 0,
    );
    return {
      logging: {},
      ...(tools.size > 0 && { tools: { listChanged: true } }),
      ...(resources.size + templates.size > 0 && { resources: { subscribe: true, listChanged: true } }),
      ...(prompts.size > 0 && { prompts: { listChanged: true } }),
      ...(completes && { completions: {} }),
      ...this.#options.capabilities,
    };
  }

  /** A result as 2026-07-28 wants it: with its type, its sender, and how long it may be kept. */
  dressed(result: Record<string, unknown>, method: string): Record<string, unknown> {
    const _meta = { [SERVER_INFO]: this.info, ...(result._meta as Meta | undefined) };
    if (result.resultType === 'input_required') return { ...result, _meta };
    const hints = cacheable.has(method) ? this.#cache : undefined;
    return { resultType: 'complete', ...hints, ...result, _meta };
  }

  /** A question as the revisions before 2026-07-28 want it. */
  legacyQuestion(method: InputRequest['method'], params: object | undefined): Record<string, unknown> {
    const question = { ...params } as Record<string, unknown>;
    if (method === 'elicitation/create' && question.mode === 'url') {
      question.elicitationId ??= `elicitation-${++this.#elicitations}`;
    }
    return question;
  }
}
