// Static files of one folder. Neither a path with `..`, in any encoding, nor a symbolic link leads out of it.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { safeHeaders } from './respond.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** Scripts and styles only from this server; images and audio also from data of tool servers; nothing from elsewhere. */
export const pageHeaders: Record<string, string> = {
  ...safeHeaders,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** The file of a request path, which is still encoded. */
export async function findFile(folder: string, path: string): Promise<{ file: string; size: number } | undefined> {
  const segments = decode(path)?.split('/').slice(1);
  if (!segments || segments.some((segment) => segment.startsWith('.') || /[\\\0:]/.test(segment))) return undefined;
  const wanted = segments.length === 1 && segments[0] === '' ? ['index.html'] : segments;
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, ...wanted))]);
    const found = await stat(file);
    return file.startsWith(root + sep) && found.isFile() ? { file, size: found.size } : undefined;
  } catch {
    return undefined; // no such file: answered as "not found"
  }
}

export async function sendFile(
  { file, size }: { file: string; size: number },
  response: ServerResponse,
  withBody: boolean,
): Promise<void> {
  response.writeHead(200, {
    ...pageHeaders,
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'content-length': size,
    // What the build names by its content never changes.
    'cache-control': file.includes(`${sep}assets${sep}`) ? 'max-age=31536000, immutable' : 'no-cache',
  });
  if (!withBody) response.end();
  else await pipeline(createReadStream(file), response).catch(() => response.destroy()); // the reader went away
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // a broken escape means no file
  }
}
