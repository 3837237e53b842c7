// The declared tools, resources, templates and prompts of a server. Names are unique, lists keep the order of
// declaration, and every change is reported to the service.

import { UsageError } from '../../base/errors.ts';
import type { ListKind } from '../methods.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../types.ts';
import type { UriTemplate } from '../uri-template.ts';
import type { Call } from './call.ts';
import type { ResourceReturn } from './handler-results.ts';
import type { CompiledSchema } from './schema.ts';

export type Completer = (
  value: string,
  context: { arguments: Record<string, string> },
) => readonly string[] | Promise<readonly string[]>;

export interface ToolEntry {
  definition: Tool;
  input: CompiledSchema | undefined;
  output: CompiledSchema | undefined;
  run: (args: never, call: Call) => unknown;
}

export interface ResourceEntry {
  definition: Resource;
  read: (uri: string, call: Call) => ResourceReturn | Promise<ResourceReturn>;
}

export interface TemplateEntry {
  definition: ResourceTemplate;
  template: UriTemplate;
  completers: Record<string, Completer>;
  read: (variables: never, call: Call, uri: string) => ResourceReturn | Promise<ResourceReturn>;
}

export interface PromptEntry {
  definition: Prompt;
  completers: Record<string, Completer>;
  get: (args: never, call: Call) => unknown;
}

/** One kind of entries with unique names. */
export class Catalog<Entry extends { definition: Definition }, Definition> {
  readonly #byName = new Map<string, Entry>();
  #definitions: readonly Definition[] | undefined;
  readonly #what: string;
  readonly #changed: () => void;

  constructor(what: string, changed: () => void) {
    this.#what = what;
    this.#changed = changed;
  }

  get size(): number {
    return this.#byName.size;
  }

  add(name: string, entry: Entry): void {
    if (this.#byName.has(name)) {
      throw new UsageError('DUPLICATE_NAME', `There is a ${this.#what} named ${JSON.stringify(name)} already`, {
        hint: 'Remove the first one, or give this one another name.',
      });
    }
    this.#byName.set(name, entry);
    this.#touch();
  }

  remove(name: string): boolean {
    const removed = this.#byName.delete(name);
    if (removed) this.#touch();
    return removed;
  }

  get(name: string): Entry | undefined {
    return this.#byName.get(name);
  }

  entries(): IterableIterator<Entry> {
    return this.#byName.values();
  }

  /** Returns the same array until an entry changes. */
  definitions(): readonly Definition[] {
    this.#definitions ??= [...this.#byName.values()].map(({ definition }) => definition);
    return this.#definitions;
  }

  #touch(): void {
    this.#definitions = undefined;
    this.#changed();
  }
}

export class Registry {
  readonly tools: Catalog<ToolEntry, Tool>;
  readonly resources: Catalog<ResourceEntry, Resource>;
  readonly resourceTemplates: Catalog<TemplateEntry, ResourceTemplate>;
  readonly prompts: Catalog<PromptEntry, Prompt>;

  constructor(changed: (kind: ListKind) => void) {
    this.tools = new Catalog('tool', () => changed('tools'));
    this.resources = new Catalog('resource', () => changed('resources'));
    this.resourceTemplates = new Catalog('resource template', () => changed('resources'));
    this.prompts = new Catalog('prompt', () => changed('prompts'));
  }
}
