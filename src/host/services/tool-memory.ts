// The tools that a server listed, and which process listed them. A lost call may be repeated only if the process that was lost
// had declared the tool read-only or idempotent, had not announced a change since, and the process that would repeat it declares
// the same when asked.

import type { Client } from '../../mcp/client/client.ts';
import type { NewsEnd } from '../../mcp/client/options.ts';
import type { Tool } from '../../mcp/types.ts';
import type { RepeatPermission } from '../supervision/server-calls.ts';

export class ToolMemory {
  /** As last listed. */
  tools: readonly Tool[] = [];
  /** The process that listed them; undefined once it announces a change. */
  #saidBy: Client | undefined;
  /** Counts processes and announced changes: a list that was asked for before one of them is not believed after it. */
  #age = 0;
  #askedAt = 0;

  /** To be called once for each process, before any call. */
  follow(client: Client): void {
    this.#forget();
    const { era, capabilities } = client.server;
    // A modern server is asked to announce changes, so it is asked only if it can.
    if (era === 'legacy' || capabilities.tools?.listChanged) {
      const onClosed = (why: NewsEnd) => why === 'server' && this.#forget(); // it announces nothing any more
      client.onListChanged('tools', () => this.#forget(), { onClosed });
    }
    this.refresh(client);
  }

  /** Asks for the tools unless they are known, or were asked for since they last changed. */
  refresh(client: Client): void {
    if (this.#saidBy === client || this.#askedAt === this.#age) return;
    this.list(client).catch(() => undefined); // a server without tools has nothing to learn
  }

  async list(client: Client): Promise<readonly Tool[]> {
    const age = this.#age;
    this.#askedAt = age;
    const { tools } = await client.listTools();
    if (age === this.#age) {
      this.tools = tools;
      this.#saidBy = client;
    }
    return tools;
  }

  permissionFor(tool: string): RepeatPermission<Client> {
    return new ToolPermission(this, tool);
  }

  /** Whether this process, by what it said last, permits that the tool runs twice. */
  permits(client: Client, tool: string): boolean {
    if (this.#saidBy !== client) return false;
    const { readOnlyHint, idempotentHint } = this.tools.find(({ name }) => name === tool)?.annotations ?? {};
    return readOnlyHint === true || idempotentHint === true;
  }

  #forget(): void {
    this.#saidBy = undefined;
    this.#age++;
  }
}

/** Made for every call, so it is no more than these two. */
class ToolPermission implements RepeatPermission<Client> {
  readonly #memory: ToolMemory;
  readonly #tool: string;

  constructor(memory: ToolMemory, tool: string) {
    this.#memory = memory;
    this.#tool = tool;
  }

  given(lost: Client): boolean {
    return this.#memory.permits(lost, this.#tool);
  }

  async confirmed(next: Client): Promise<boolean> {
    await this.#memory.list(next);
    return this.#memory.permits(next, this.#tool);
  }
}
