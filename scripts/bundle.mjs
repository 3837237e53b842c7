// Bundles the command line and the subpaths of the library into few files for each start. Node.js takes longer to find
// and load a module than to compile it: sixty files would take longer than the rest of `standpipe call`.

import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

/**
 * Starts that must be fast, and the modules that they load. Modules that are needed by the same starts become one file,
 * named after them.
 */
const COMMANDS = {
  version: ['mcp/own-info.ts', 'wire/process/files/cache-folder.ts', 'app/cli/compiled-code.ts'],
  call: [
    'app/cli/run-command.ts',
    'app/cli/commands/call.ts',
    'host/control/remote-host.ts',
    'mcp/extensions/tasks/task-handle.ts',
  ],
  tap: ['observe/tap/main.ts'],
  connect: ['app/cli/connect/main.ts'],
};
/** `core` has no I/O: `standpipe/framing` and `standpipe/jsonrpc` run in a browser too. */
const SUBPATHS = {
  core: ['entry/framing.ts', 'entry/jsonrpc.ts'],
  client: ['entry/client.ts'],
  server: ['entry/server.ts'],
  litemcp: ['entry/litemcp.ts'],
};
/** Programs that the library starts. */
const PROGRAMS = ['check/client/server-stub'];
/** Modules that programs of the tests start from; the package does not export them. */
const FOR_TESTS = ['server-process', 'streams/guard-children', 'streams/reserve-stdout', 'tree/watchdog'].map(
  (name) => `wire/process/${name}`,
);
/** Lets tests run commands in their own process; `main` does not use it under this name. */
const COMMAND_FOR_TESTS = 'run-command';
/** Prefix of a module that re-exports another one, so that the other stays in the file of its starts. */
const ALL_OF = 'all-of:';
/** Bundled into the command line, so that installing the package does not install them. */
const BUNDLED = ['commander', 'hono'];

/** Returns the written files. */
export async function bundleCommandLine(target) {
  const input = Object.fromEntries(['main', COMMAND_FOR_TESTS].map((name) => [name, `src/app/cli/${name}.ts`]));
  const output = {
    dir: target,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    comments: false,
  };
  const files = await bundle(input, COMMANDS, output, commandFile);
  const licenses = BUNDLED.map((name) => join(target, `${name}.LICENSE`));
  for (const [at, name] of BUNDLED.entries()) copyFileSync(join(root, 'node_modules', name, 'LICENSE'), licenses[at]);
  return [...files, ...licenses];
}

/**
 * Returns the name of a file. Modules of several starts share one file, because a file for each pair of starts would be
 * more files for each of them. Every start loads `start`.
 */
function commandFile(starts) {
  if (starts.includes('version')) return 'start';
  return starts.length > 1 ? 'shared' : starts[0];
}

/**
 * Bundles all subpaths together, so that a class which two of them export is the same class. Returns the written files.
 */
export function bundleLibrary(target) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const exported = Object.values(exports).flatMap((each) => /^\.\/dist\/(.*)\.js$/.exec(each.default)?.[1] ?? []);
  const input = Object.fromEntries([
    ...[...exported, ...PROGRAMS].map((name) => [name, `src/${name}.ts`]),
    ...FOR_TESTS.map((name) => [name, `${ALL_OF}${name}`]),
  ]);
  return bundle(input, SUBPATHS, {
    dir: target,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
  });
}

async function bundle(input, starts, output, fileOf = (of) => of.join('-')) {
  let startsOf = new Map();
  const built = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => !isSource(id) && !isBundled(id),
    // A module may be imported dynamically by one module and statically by another.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: 'starts',
        resolveId: (id) => (id.startsWith(ALL_OF) ? id : null),
        load: (id) =>
          id.startsWith(ALL_OF)
            ? `export * from ${JSON.stringify(`${root}/src/${id.slice(ALL_OF.length)}.ts`)};`
            : null,
        buildEnd() {
          startsOf = findStarts(starts, (id) => this.getModuleInfo(id));
        },
      },
    ],
  });
  const written = await built.write({
    ...output,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'starts', name: (id) => (startsOf.has(id) ? fileOf(startsOf.get(id)) : null) }],
    },
  });
  return written.output.map(({ fileName }) => join(output.dir, fileName));
}

/** Whether an id is an entry, a relative import, or a resolved source file. */
function isSource(id) {
  return id.startsWith('src/') || id.startsWith(ALL_OF) || id.startsWith('.') || id.startsWith(root);
}

function isBundled(id) {
  return BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));
}

/** The starts that need each module, by module id. A module that is loaded on first use is not needed by a start. */
function findStarts(files, infoOf) {
  const startsOf = new Map();
  const add = (start, id) => {
    const starts = startsOf.get(id) ?? [];
    const info = infoOf(id);
    if (starts[0] === 'core' || starts.includes(start) || !info || info.isExternal) return;
    startsOf.set(id, [...starts, start]);
    for (const imported of info.importedIds) add(start, imported);
  };
  for (const [start, names] of Object.entries(files)) for (const name of names) add(start, join(root, 'src', name));
  return startsOf;
}
