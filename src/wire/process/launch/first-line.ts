// The interpreter named in the first line of a script, such as `#!/usr/bin/env node`.

import { realSystem, type System } from './system.ts';

/** The words of the line without `env` and its options: `#!/usr/bin/env -S node --flag` gives `node` and `--flag`. */
export function interpreterOf(file: string, system: System = realSystem): [string, ...string[]] | undefined {
  const line = /^#![ \t]*([^\n]+)/.exec(system.start(file))?.[1] ?? '';
  // On other systems, a CR is part of the name and explains why the file is not found.
  const [program, ...args] = (system.platform === 'win32' ? line.trimEnd() : line).split(/[ \t]+/);
  if (!program) return undefined;
  if (!/(?:^|[\\/])env$/.test(program)) return [program, ...args];
  const [named, ...rest] = args[0] === '-S' ? args.slice(1) : args;
  return named ? [named, ...rest] : undefined;
}
