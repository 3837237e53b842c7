// The tools that a server listed, and the process that listed them. A lost call may be repeated only if the lost process had declared
// the tool read-only or idempotent and had not announced a change since, and the process that would repeat the call declares the
// same.

import type { Client } from '../../mcp/client/client.ts';
import type { NewsEnd } from '../../mcp/client/options.ts';
import type { Tool } from '../../mcp/types.ts';
import type { RepeatPermission } from '../supervision/server-calls.ts';

export class ToolMemory {
  /** Tools of the last list. */
  tools: readonly Tool[] = [];
  /** The process that listed them. Undefined once it announces a change. */
  #saidBy: Client | undefined;
  /** Counts processes and announced changes. A list that was requested before one of them is ignored. */
  #age = 0;
  #askedAt = 0;

  /** Must be called once for each process, before any call. */
  follow(client: Client): void {
    this.#forget();
    const { era, capabilities } = client.server;
    // A modern server is asked to announce changes, so only if it declares that it can.
    if (era === 'legacy' || capabilities.tools?.listChanged) {
      const onClosed = (why: NewsEnd) => why === 'server' && this.#forget(); // it no longer announces changes
      client.onListChanged('tools', () => this.#forget(), { onClosed });
    }
    this.refresh(client);
  }

  /** Requests the tools unless they are known or were requested since the last change. */
  refresh(client: Client): void {
    if (this.#saidBy === client || this.#askedAt === this.#age) return;
    this.list(client).catch(() => undefined); // a server without tools has nothing to list
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

  /** Whether the last list of this process permits the tool to run twice. */
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

/** Created for every call, so it holds only two fields. */
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
