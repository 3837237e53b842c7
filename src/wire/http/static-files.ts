// Serves static files of one folder. Neither a path with `..`, in any encoding, nor a symbolic link can leave the
// folder.

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

/**
 * Scripts and styles may come only from this server; images and audio also from tool results; everything else is
 * blocked.
 */
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

/** Resolves a request path that is still percent-encoded. */
export async function findFile(folder: string, path: string): Promise<{ file: string; size: number } | undefined> {
  const segments = decode(path)?.split('/').slice(1);
  if (!segments || segments.some((segment) => segment.startsWith('.') || /[\\\0:]/.test(segment))) return undefined;
  const wanted = segments.length === 1 && segments[0] === '' ? ['index.html'] : segments;
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, ...wanted))]);
    const found = await stat(file);
    return file.startsWith(root + sep) && found.isFile() ? { file, size: found.size } : undefined;
  } catch {
    return undefined; // the file does not exist: the answer is "not found"
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
    // The build names assets by their content, so they never change.
    'cache-control': file.includes(`${sep}assets${sep}`) ? 'max-age=31536000, immutable' : 'no-cache',
  });
  if (!withBody) response.end();
  else await pipeline(createReadStream(file), response).catch(() => response.destroy()); // the client disconnected
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // an invalid escape cannot name a file
  }
}
