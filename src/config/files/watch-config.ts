// Reloads a config when its files change and reports the difference for the servers. An invalid file or entry is reported, and the
// last valid settings are kept.

import { isDeepStrictEqual } from 'node:util';
import { toError } from '../../base/errors.ts';
import { type ConfigDiff, diffConfigs, isEmptyDiff, keepLastGood } from './diff-configs.ts';
import { fromDisk, type ReadBytes } from './disk.ts';
import { type Config, type LoadOptions, mergeFiles, surveyConfig } from './load-config.ts';
import { type Contents, FileWatch, type WatchFilesOptions } from './watch-files.ts';

export interface ConfigChange {
  config: Config;
  /** The difference for the servers; empty if only the problems have changed. */
  diff: ConfigDiff;
}

export interface WatchOptions extends WatchFilesOptions {
  /** Called if loading failed for a reason outside the files, such as an `askInput` that throws. The config is kept. */
  onError?: (error: Error) => void;
}

export interface ConfigWatch {
  readonly config: Config;
  /** Stops watching: `onChange` is not called again. */
  close(): void;
}

/**
 * `config` is the result of `loadConfig(load)`. Changes since that load are reported too. The next change is reported when `onChange`
 * has settled.
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
      const unchanged = isEmptyDiff(diff) && isDeepStrictEqual(next.problems, current.problems);
      current = next;
      files.setFiles(filesOf(next));
      if (!unchanged) await onChange({ config: next, diff });
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
  const locks = config.files.flatMap(({ lock }) => lock?.file ?? []);
  return [...new Set([...config.searched, ...filesRead(config), ...locks])];
}

function filesRead({ files }: Config): string[] {
  return files.flatMap(({ file, envFiles, lock }) => [file, ...envFiles, ...(lock?.found ? [lock.file] : [])]);
}

/** A file that is not watched yet is read from the disk, and again when it is watched. */
function readFrom(contents: Contents): ReadBytes {
  return async (file) => {
    const content = contents.get(file) ?? (await fromDisk(file));
    if (content instanceof Error) throw content;
    return content;
  };
}
