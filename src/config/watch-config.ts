// Keeps a config up to date while its files are edited, and says what each change means for the servers. What cannot be
// understood changes nothing: the last good settings stay, and the problems are told.

import { isDeepStrictEqual } from 'node:util';
import { toError } from '../base/errors.ts';
import { type ConfigDiff, diffConfigs, isEmptyDiff } from './diff-configs.ts';
import { fromDisk, type ReadBytes } from './disk.ts';
import { keepLastGood } from './keep-last-good.ts';
import { type Config, type LoadOptions, mergeFiles, surveyConfig } from './load-config.ts';
import { type Contents, FileWatch, type WatchFilesOptions } from './watch-files.ts';

export interface ConfigChange {
  config: Config;
  /** Empty if only the problems have changed. */
  diff: ConfigDiff;
}

export interface WatchOptions extends WatchFilesOptions {
  /** Loading failed for a reason that is not in the files, such as an `askInput` that throws. The config stays. */
  onError?: (error: Error) => void;
}

export interface ConfigWatch {
  /** The newest. */
  readonly config: Config;
  /** Nothing more is told from now on. */
  close(): void;
}

/**
 * `config` is what `loadConfig(load)` gave. Watched are all the places where a config could be, and every `envFile`.
 * What changed since it was loaded is told too. The next change is told when `onChange` has settled.
 */
export function watchConfig(
  config: Config,
  load: LoadOptions,
  onChange: (change: ConfigChange) => void | Promise<void>,
  options: WatchOptions = {},
): ConfigWatch {
  let current = config;
  let closed = false;
  const files = new FileWatch(filesOf(current), filesRead(current), reload, options);

  async function reload(contents: Contents): Promise<void> {
    try {
      const found = await surveyConfig(load, readFrom(contents));
      if (closed) return;
      const unread = found.problems.filter(
        (problem) => !found.files.some(({ problems }) => problems.includes(problem)),
      );
      const next = mergeFiles(keepLastGood(current.files, found.files), found.searched, unread);
      const diff = diffConfigs(current, next);
      const told = isEmptyDiff(diff) && isDeepStrictEqual(next.problems, current.problems);
      current = next;
      files.setFiles(filesOf(next));
      if (!told) await onChange({ config: next, diff });
    } catch (error) {
      options.onError?.(toError(error));
    }
  }

  return {
    get config() {
      return current;
    },
    close() {
      closed = true;
      files.close();
    },
  };
}

function filesOf(config: Config): string[] {
  return [...new Set([...config.searched, ...filesRead(config)])];
}

function filesRead({ files }: Config): string[] {
  return files.flatMap(({ file, envFiles }) => [file, ...envFiles]);
}

/** A file that was not watched so far is read from the disk, and once more when it is. */
function readFrom(contents: Contents): ReadBytes {
  return async (file) => {
    const content = contents.get(file) ?? (await fromDisk(file));
    if (content instanceof Error) throw content;
    return content;
  };
}
