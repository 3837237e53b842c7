// An era memory in a file, for programs that start the same servers repeatedly. The file holds hashes and eras, never a command line. It
// is a cache: with a missing, broken or unwritable file the era is probed again. An entry is valid for a day, because a server may add
// support for another era, and only while the program and script of the command line are unchanged.

import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isObject } from '../base/json-object.ts';
import { shortHash } from '../base/short-hash.ts';
import type { EraMemory, KnownEra } from '../mcp/client/opening/era-memory.ts';
import { cacheFolder } from '../wire/process/files/cache-folder.ts';
import { replacePrivately } from '../wire/process/files/private-file.ts';

const MOST_ENTRIES = 500;
const MOST_BYTES = 64 * 1024;
const VALID_MS = 24 * 60 * 60 * 1000;
const eras: readonly unknown[] = ['modern', 'legacy', 'transcript'] satisfies KnownEra[];

interface Entry {
  era: KnownEra;
  /** Milliseconds since 1970. */
  atMs: number;
}

export class FileEraMemory implements EraMemory {
  readonly #file: string;
  readonly #nowMs: () => number;

  constructor(file: string, nowMs: () => number = Date.now) {
    this.#file = file;
    this.#nowMs = nowMs;
  }

  get(key: string): KnownEra | undefined {
    return this.#read().get(hashOf(key))?.era;
  }

  set(key: string, era: KnownEra): void {
    const hash = hashOf(key);
    const entries = this.#read();
    if (entries.get(hash)?.era === era) return;
    entries.delete(hash); // the newest entries are last
    entries.set(hash, { era, atMs: this.#nowMs() });
    this.#write(entries);
  }

  delete(key: string): void {
    const entries = this.#read();
    if (entries.delete(hashOf(key))) this.#write(entries);
  }

  /** Reads the file each time, because other programs write it too. */
  #read(): Map<string, Entry> {
    try {
      if (statSync(this.#file).size > MOST_BYTES) return new Map();
      const value: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      const nowMs = this.#nowMs();
      return new Map(Object.entries(isObject(value) ? value : {}).filter((pair) => isValid(pair, nowMs)));
    } catch {
      return new Map(); // the file does not exist yet or is not readable
    }
  }

  #write(entries: Map<string, Entry>): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      replacePrivately(this.#file, JSON.stringify(Object.fromEntries([...entries].slice(-MOST_ENTRIES))));
    } catch {
      // the folder is not writable: the era is probed again next time
    }
  }
}

/** The memory shared by all programs of the user. */
export function userEraMemory(): FileEraMemory {
  return new FileEraMemory(join(cacheFolder(), 'eras.json'));
}

function isValid(pair: [string, unknown], nowMs: number): pair is [string, Entry] {
  const [, entry] = pair;
  if (!isObject(entry) || !eras.includes(entry.era) || typeof entry.atMs !== 'number') return false;
  return entry.atMs <= nowMs && nowMs - entry.atMs < VALID_MS;
}

/** Hashes the key together with the modification times of the files that it names. */
function hashOf(key: string): string {
  return shortHash(JSON.stringify([key, ...filesOf(key).map(changedAtMs)]));
}

/** `connect` builds the key from command, arguments and folder. A key of another form names no files. */
function filesOf(key: string): string[] {
  try {
    const [command, args, cwd] = JSON.parse(key) as [string, string[], string];
    const script = args.find((arg) => !arg.startsWith('-')) ?? '';
    return [command, script]
      .filter((word) => isAbsolute(word) || /[\\/.]/.test(word))
      .map((word) => resolve(cwd, word));
  } catch {
    return [];
  }
}

function changedAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
