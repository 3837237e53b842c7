// Reports changes of files, by their content. System notifications only trigger an earlier check: they miss network drives, links and
// folders that are created later, so files are also polled. A change is reported when the content is stable: a file may be partly
// written, and editors replace files by renaming. Does not keep the process alive.

import { type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { fromDisk, isMissing } from './disk.ts';

export interface WatchFilesOptions {
  clock?: Clock;
  /** How long the content must be stable before a change is reported. */
  settleMs?: number;
  /** How long a file must be missing before it counts as removed. */
  graceMs?: number;
  pollMs?: number;
}

/** The content of each file, or the error of reading it. */
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
  /** The contents at the last report. Undefined at first: the first check always reports. */
  #reported: Contents | undefined;
  #settling: { contents: Contents; sinceMs: number } | undefined;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;

  /**
   * `expected`: the files that existed before. `onChange` is called once at the start, for earlier changes, and awaited: calls
   * do not overlap. It must use the contents that it gets: the files may have changed again.
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

  /** Watches these files from now on. A different set of files counts as a change. */
  setFiles(files: readonly string[]): void {
    this.#files = files;
  }

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

  /** `onChange` is not called again. */
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
    if (this.#reported && same(contents, this.#reported)) {
      this.#settling = undefined;
      return this.#lookIn(this.#pollMs);
    }
    if (!this.#settling || !same(contents, this.#settling.contents)) this.#settling = { contents, sinceMs: nowMs };
    const leftMs = this.#settling.sinceMs + this.#quietMs(contents) - nowMs;
    if (leftMs > 0) return this.#lookIn(leftMs);
    this.#settling = undefined;
    this.#reported = contents;
    await this.#onChange(contents);
    // `onChange` may have changed the set of files.
    this.#lookIn(this.#settleMs);
  }

  #quietMs(contents: Contents): number {
    const wasThere = (file: string) => (this.#reported ? isThere(this.#reported.get(file)) : this.#expected.has(file));
    return [...contents].some(([file, content]) => !isThere(content) && wasThere(file))
      ? this.#graceMs
      : this.#settleMs;
  }

  #lookIn(delayMs: number): void {
    if (this.#closed) return;
    this.#timer = this.#clock.after(delayMs, () => this.look());
    this.#timer.keepAlive(false);
  }

  /** Watches folders and not files: a file that is replaced by renaming is another file in the same folder. */
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
        const isWatched = (each: string) => this.#files.includes(join(folder, each));
        if (name === null || isWatched(name) || isWatched('*')) this.look();
      });
      // The folder was removed, or the system has no watches left: polling still finds changes.
      watcher.on('error', forget);
      this.#folders.set(folder, watcher);
    } catch {
      forget(); // the folder does not exist yet: the next check tries again
    }
  }
}

async function readAll(files: readonly string[]): Promise<Contents> {
  const read = async (file: string) => [file, await fromDisk(file).catch(toError)] as const;
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
