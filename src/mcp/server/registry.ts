// What a server offers: its tools, resources, templates and prompts, as they were declared. Names are unique; lists keep
// the order of declaration; every change is told to whoever serves them.

import { UsageError } from '../../base/errors.ts';
import { titledFor, toolFor } from '../down-level.ts';
import type { Revision } from '../revisions.ts';
import type { CompiledSchema } from '../schema.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../types.ts';
import type { UriTemplate } from '../uri-template.ts';
import type { Call } from './call.ts';
import type { ResourceReturn } from './resource-contents.ts';

export type Family = 'tools' | 'resources' | 'prompts';
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

/** One family of things with unique names, and how each revision sees them. */
export class Catalog<Entry extends { definition: Definition }, Definition> {
  readonly #byName = new Map<string, Entry>();
  readonly #shown = new Map<Revision, Definition[]>();
  readonly #what: string;
  readonly #show: (revision: Revision, definition: Definition) => Definition;
  readonly #changed: () => void;

  constructor(what: string, show: (revision: Revision, definition: Definition) => Definition, changed: () => void) {
    this.#what = what;
    this.#show = show;
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

  /** All definitions as a client of this revision may see them. */
  shownTo(revision: Revision): readonly Definition[] {
    let shown = this.#shown.get(revision);
    if (!shown) {
      shown = [...this.#byName.values()].map(({ definition }) => this.#show(revision, definition));
      this.#shown.set(revision, shown);
    }
    return shown;
  }

  #touch(): void {
    this.#shown.clear();
    this.#changed();
  }
}

export class Registry {
  readonly tools: Catalog<ToolEntry, Tool>;
  readonly resources: Catalog<ResourceEntry, Resource>;
  readonly templates: Catalog<TemplateEntry, ResourceTemplate>;
  readonly prompts: Catalog<PromptEntry, Prompt>;

  constructor(changed: (family: Family) => void) {
    this.tools = new Catalog('tool', toolFor, () => changed('tools'));
    this.resources = new Catalog('resource', titledFor<Resource>, () => changed('resources'));
    this.templates = new Catalog('resource template', titledFor<ResourceTemplate>, () => changed('resources'));
    this.prompts = new Catalog('prompt', titledFor<Prompt>, () => changed('prompts'));
  }
}
