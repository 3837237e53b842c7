// Who wants to know that a list of the server changed. A list is watched while it has listeners; when the server ends the
// watch, the listeners stay known, and are served again with the next watch.

import { toError } from '../../base/errors.ts';
import type { Service } from '../service.ts';
import type { NewsEnd, NewsOptions } from './options.ts';
import type { Warn } from './warnings.ts';
import { type ListKind, listKinds } from './watchers.ts';

interface Listener extends NewsOptions {
  handler: () => void;
}

interface Listened {
  listeners: Set<Listener>;
  /** Resolves to the function that stops the watch. */
  watch: Promise<() => void> | undefined;
}

export interface ListChangesOptions {
  /** Forgets what is remembered of the list. */
  invalidate: (kind: ListKind) => void;
  /** Why watches end now. */
  endOf: () => NewsEnd;
  /** Runs a function of the program, and reports what it throws. */
  guard: (run: () => void) => void;
  warn: Warn;
}

export class ListChanges {
  readonly #service: Service;
  readonly #options: ListChangesOptions;
  readonly #lists: Record<ListKind, Listened> = { tools: nobody(), resources: nobody(), prompts: nobody() };

  constructor(service: Service, options: ListChangesOptions) {
    this.#service = service;
    this.#options = options;
  }

  listen(kind: ListKind, handler: () => void, options: NewsOptions = {}): () => void {
    const { listeners } = this.#lists[kind];
    const listener = { handler, ...options };
    listeners.add(listener);
    this.watchAgain();
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#stop(kind);
    };
  }

  /** Watches every list that has listeners. */
  watchAgain(): void {
    for (const kind of listKinds) {
      const list = this.#lists[kind];
      if (list.listeners.size > 0) list.watch ??= this.#watch(kind, list);
    }
  }

  #watch(kind: ListKind, list: Listened): Promise<() => void> {
    const watch = this.#service.watch({
      filter: { [`${kind}ListChanged`]: true },
      notified: () => {
        this.#options.invalidate(kind);
        this.#tell(list, ({ handler }) => handler());
      },
      ended: () => {
        list.watch = undefined;
        const why = this.#options.endOf();
        this.#tell(list, ({ onClosed }) => onClosed?.(why));
      },
    });
    watch.catch((error: unknown) => {
      if (list.watch === watch) list.watch = undefined;
      this.#options.warn('listen-failed', `The server sends no news of changed lists: ${toError(error).message}`);
    });
    return watch;
  }

  #stop(kind: ListKind): void {
    const list = this.#lists[kind];
    void list.watch?.then(
      (stop) => stop(),
      () => undefined, // it was reported
    );
    list.watch = undefined;
  }

  #tell({ listeners }: Listened, tell: (listener: Listener) => void): void {
    for (const listener of [...listeners]) this.#options.guard(() => tell(listener));
  }
}

function nobody(): Listened {
  return { listeners: new Set(), watch: undefined };
}
