// Keeps compiled code of the command line for the next start, for versions of Node.js that have no `enableCompileCache`. Each `.cjs` file beside
// the program has a file in the folder, which begins with a hash of its source and code.

import type { Hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Script } from 'node:vm';

/** The size of SHA-256. V8 need not copy code at a multiple of 8. */
const HASH_BYTES = 32;

export async function keepCompiledCode(folder: string): Promise<void> {
  const [{ createHash }, { default: nodeModule }, { Script }] = await Promise.all([
    import('node:crypto'),
    import('node:module'),
    import('node:vm'),
  ]);
  const hashOf = (...parts: readonly (string | Buffer)[]) =>
    parts.reduce<Hash>((hash, part) => hash.update(part), createHash('sha256')).digest();
  const { extensions } = createRequire(import.meta.url);
  const own = __dirname;
  const prefix = [process.version, process.arch, hashOf(own).toString('hex').slice(0, 16)].join('-');
  const compiled = new Map<string, { source: Buffer; script: Script }>();
  extensions['.cjs'] = (module, file) => {
    const source = readFileSync(file);
    // Node.js 20 cannot run import() in code from a cache.
    if (dirname(file) !== own || source.includes('import(')) return extensions['.js']!(module, file);
    const kept = join(folder, `${prefix}-${basename(file)}`);
    const [hash, code] = readCode(kept);
    const script = new Script(nodeModule.wrap(source.toString()), {
      filename: file,
      // V8 compares only the length of the source, and crashes with damaged code.
      cachedData: code && hash && hashOf(source, code).equals(hash) ? code : undefined,
    });
    if (script.cachedDataRejected !== false) compiled.set(kept, { source, script });
    script.runInThisContext().call(module.exports, module.exports, module.require.bind(module), module, file, own);
  };
  // At the end, the code contains the functions that were called.
  process.once('exit', () => {
    for (const [kept, { source, script }] of compiled) {
      const code = script.createCachedData();
      writeCode(kept, Buffer.concat([hashOf(source, code), code]));
    }
  });
}

function readCode(file: string): [hash?: Buffer, code?: Buffer] {
  try {
    const content = readFileSync(file);
    return [content.subarray(0, HASH_BYTES), content.subarray(HASH_BYTES)];
  } catch {
    return []; // the file does not exist yet
  }
}

function writeCode(file: string, content: Buffer): void {
  const beside = `${file}.${process.pid}`;
  try {
    writeFileSync(beside, content, { mode: 0o600 });
    renameSync(beside, file); // another process may be reading the file
  } catch {
    // the next start compiles the code again
  }
}
