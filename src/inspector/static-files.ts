// The page's own files, from the folder they were built to and from nowhere else.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** Scripts only from here; nothing from outside; images and sound also from the data that servers send. */
export const pageHeaders: Record<string, string> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export async function sendFile(folder: string, path: string, response: ServerResponse): Promise<boolean> {
  const file = join(folder, normalize(path === '/' ? '/index.html' : path));
  if (!file.startsWith(folder + sep)) return false;
  const found = await stat(file).catch(() => undefined); // answered as "not found"
  if (!found?.isFile()) return false;
  response.writeHead(200, {
    ...pageHeaders,
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'content-length': found.size,
    'cache-control': path.includes('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  });
  await new Promise<void>((resolve) => createReadStream(file).pipe(response).once('close', resolve));
  return true;
}
