// While a file is edited it may temporarily be invalid JSON, or an entry may have no command. Servers keep their last valid
// settings until the file is valid again. The problems are reported in any case.

import type { ConfigFile } from './config-file.ts';

export function keepLastGood(before: readonly ConfigFile[], after: readonly ConfigFile[]): ConfigFile[] {
  return after.map((file) => {
    const last = before.find((each) => each.file === file.file);
    return last ? keepInFile(last, file) : file;
  });
}

function keepInFile(last: ConfigFile, file: ConfigFile): ConfigFile {
  if (!file.usable) return last.usable ? { ...last, problems: file.problems } : file;
  // An entry that was changed to a remote server was changed on purpose.
  const broken = new Set(file.rejected.filter(({ remote }) => !remote).map(({ name }) => name));
  const kept = last.servers.filter(({ name }) => broken.has(name));
  const keptNames = new Set(kept.map(({ name }) => name));
  return {
    ...file,
    servers: [...file.servers, ...kept],
    rejected: file.rejected.filter(({ name }) => !keptNames.has(name)),
  };
}
