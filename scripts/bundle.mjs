// Builds the command line: `src/cli` and all it uses, as few files as its starts need. Node.js takes longer to find and load
// a module than to compile one: sixty files cost more than all the rest of `standpipe call`.

import { copyFileSync, rmSync } from 'node:fs';
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
const target = join(root, 'dist/cli');

const starts = new Map();

const bundle = await rolldown({
  cwd: root,
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: (id) => !id.startsWith('.') && !id.startsWith(root) && id !== BUNDLED && !id.startsWith('src/'),
  // A module may be loaded on first use by one and at once by another.
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    {
      name: 'starts',
      buildEnd() {
        for (const [start, files] of Object.entries(STARTS)) {
          for (const file of files) spread(start, join(root, 'src', file), (id) => this.getModuleInfo(id));
        }
      },
    },
  ],
});
rmSync(target, { recursive: true, force: true });
await bundle.write({
  dir: target,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'starts', name: (id) => starts.get(id) ?? null }],
  },
});
copyFileSync(join(root, 'node_modules', BUNDLED, 'LICENSE'), join(target, `${BUNDLED}.LICENSE`));

function spread(start, id, infoOf) {
  const before = starts.get(id);
  if (before?.split('-').includes(start)) return;
  const info = infoOf(id);
  if (!info || info.isExternal) return;
  starts.set(id, before === undefined ? start : `${before}-${start}`);
  for (const imported of info.importedIds) spread(start, imported, infoOf);
}
