// Fails if the first load of the page exceeds its budget: the entry and everything that it imports immediately,
// compressed.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET_BYTES = 400 * 1024;
const folder = new URL('../dist/ui/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', folder), 'utf8'));

const compressed = (file) => gzipSync(readFileSync(new URL(file, folder))).length;
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

const first = new Set();
const visit = (key) => {
  if (first.has(key)) return;
  first.add(key);
  for (const next of manifest[key].imports ?? []) visit(next);
};
for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) visit(key);

let firstBytes = 0;
for (const [key, { file }] of Object.entries(manifest)) {
  if (!file.endsWith('.js')) continue;
  const bytes = compressed(file);
  if (first.has(key)) firstBytes += bytes;
  console.log(`${first.has(key) ? 'first load' : 'on demand '}  ${kilobytes(bytes).padStart(9)}  ${file}`);
}
console.log(`first load: ${kilobytes(firstBytes)} of compressed script, of ${kilobytes(BUDGET_BYTES)} allowed`);
if (firstBytes > BUDGET_BYTES) process.exit(1);
