// The command line, `src/cli` and all it uses, as few files as its starts need. Node.js takes longer to find and load a
// module than to compile one: sixty files cost more than all the rest of `standpipe call`.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

/** What must start fast, and does nothing by being loaded. What the same starts need is one file, named after them. */
const STARTS = {
  version: ['mcp/own-info.ts'],
  call: ['cli/run-command.ts', 'cli/commands/call.ts', 'host/remote-host.ts'],
  tap: ['tap/main.ts'],
};
/** Bundled, and so no dependency of those who install the package. */
const BUNDLED = 'commander';

/** Gives the files that it wrote. */
export async function bundleCommandLine(target) {
  let startsOf = new Map();
  const bundle = await rolldown({
    cwd: root,
    input: { main: 'src/cli/main.ts' },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => !isSource(id) && id !== BUNDLED,
    // A module may be loaded on first use by one and at once by another.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: 'starts',
        buildEnd() {
          startsOf = findStarts((id) => this.getModuleInfo(id));
        },
      },
    ],
  });
  const { output } = await bundle.write({
    dir: target,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'starts', name: (id) => startsOf.get(id)?.join('-') ?? null }],
    },
  });
  const license = join(target, `${BUNDLED}.LICENSE`);
  copyFileSync(join(root, 'node_modules', BUNDLED, 'LICENSE'), license);
  return [...output.map(({ fileName }) => join(target, fileName)), license];
}

/** An entry, a relative import, or what either was resolved to. */
function isSource(id) {
  return id.startsWith('src/') || id.startsWith('.') || id.startsWith(root);
}

/** Which starts need a module, by its id. What is loaded on first use only is not needed. */
function findStarts(infoOf) {
  const startsOf = new Map();
  const add = (start, id) => {
    const starts = startsOf.get(id) ?? [];
    const info = infoOf(id);
    if (starts.includes(start) || !info || info.isExternal) return;
    startsOf.set(id, [...starts, start]);
    for (const imported of info.importedIds) add(start, imported);
  };
  for (const [start, files] of Object.entries(STARTS)) for (const file of files) add(start, join(root, 'src', file));
  return startsOf;
}
