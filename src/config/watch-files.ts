// Says when files have changed, by their content and nothing else. The system's own notifications are only a reason to look
// sooner: they miss network drives, links and folders made later, so there is also a look every now and then.
// A change counts once it has settled: a file half written is read again, and one that is gone may be on its way back, as
// editors replace files by renaming. Does not keep the program alive.

import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { isMissing } from './disk.ts';

export interface WatchFilesOptions {
  clock?: Clock;
  /** How long nothing may have changed before a change counts. */
  settleMs?: number;
  /** How long a file must be gone before it counts as removed. */
  graceMs?: number;
  /** How often to look without being told to. */
  pollMs?: number;
}

/** What was in each file, or why it could not be read. */
export type Contents = ReadonlyMap<string, Buffer | Error>;

export class FileWatch {
  readonly #onChange: (contents: Contents) => Promise<void>;
  readonly #expected: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #settleMs: number;
  readonly #graceMs: number;
  readonly #pollMs: number;
  readonly #folders = new Map<string, FSWatcher>();
  #files: readonly string[];
  /** What was there when the last change was told. Nothing yet: the first look always tells. */
  #told: Contents | undefined;
  #settling: { contents: Contents; sinceMs: number } | undefined;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;

  /**
   * `expected`: those that were there a moment ago. `onChange` is called once at the start, for what changed before, and
   * awaited: there is one at a time. It must go by the contents it is given: the files may be others already.
   */
  constructor(
    files: readonly string[],
    expected: readonly string[],
    onChange: (contents: Contents) => Promise<void>,
    options: WatchFilesOptions = {},
  ) {
    this.#files = files;
    this.#expected = new Set(expected);
    this.#onChange = onChange;
    this.#clock = options.clock ?? systemClock;
    this.#settleMs = options.settleMs ?? 100;
    this.#graceMs = options.graceMs ?? 1000;
    this.#pollMs = options.pollMs ?? 2000;
    this.look();
  }

  /** Watches these from now on. Other files than before count as a change. */
  setFiles(files: readonly string[]): void {
    this.#files = files;
  }

  /** Looks now. */
  look(): void {
    if (this.#closed) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#timer?.cancel();
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#lookAgain) {
        this.#lookAgain = false;
        this.look();
      }
    });
  }

  /** Nothing more is told from now on. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  async #look(): Promise<void> {
    this.#watchFolders();
    const contents = await readAll(this.#files);
    if (this.#closed) return;
    const nowMs = this.#clock.nowMs();
    if (this.#told && same(contents, this.#told)) {
      this.#settling = undefined;
      return this.#lookIn(this.#pollMs);
    }
    if (!this.#settling || !same(contents, this.#settling.contents)) this.#settling = { contents, sinceMs: nowMs };
    const leftMs = this.#settling.sinceMs + this.#quietMs(contents) - nowMs;
    if (leftMs > 0) return this.#lookIn(leftMs);
    this.#settling = undefined;
    this.#told = contents;
    await this.#onChange(contents);
    // It may want other files watched from now on.
    this.#lookIn(this.#settleMs);
  }

  #quietMs(contents: Contents): number {
    const wasThere = (file: string) => (this.#told ? isThere(this.#told.get(file)) : this.#expected.has(file));
    return [...contents].some(([file, content]) => !isThere(content) && wasThere(file))
      ? this.#graceMs
      : this.#settleMs;
  }

  #lookIn(delayMs: number): void {
    if (this.#closed) return;
    this.#timer = this.#clock.after(delayMs, () => this.look());
    this.#timer.keepAlive(false);
  }

  /** Folders, not files: a file replaced by renaming is another file, in the same folder. */
  #watchFolders(): void {
    const wanted = new Set(this.#files.map((file) => dirname(file)));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) {
      if (!this.#folders.has(folder)) this.#watchFolder(folder);
    }
  }

  #watchFolder(folder: string): void {
    const forget = () => {
      this.#folders.get(folder)?.close();
      this.#folders.delete(folder);
    };
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || this.#files.includes(join(folder, name))) this.look();
      });
      // A folder that went away, or a system out of watches: the regular look finds what is left to find.
      watcher.on('error', forget);
      this.#folders.set(folder, watcher);
    } catch {
      forget(); // not there yet; tried again at the next look
    }
  }
}

async function readAll(files: readonly string[]): Promise<Contents> {
  const read = async (file: string) => [file, await readFile(file).catch(toError)] as const;
  return new Map(await Promise.all(files.map(read)));
}

function isThere(content: Buffer | Error | undefined): boolean {
  return content !== undefined && !isMissing(content);
}

function same(a: Contents, b: Contents): boolean {
  return a.size === b.size && [...a].every(([file, content]) => sameContent(content, b.get(file)));
}

function sameContent(a: Buffer | Error, b: Buffer | Error | undefined): boolean {
  if (a instanceof Error) return b instanceof Error && a.message === b.message;
  return b instanceof Uint8Array && a.equals(b);
}
