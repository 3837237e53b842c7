// Who may connect to `up --http`: clients with a token of the file, or else with the owner's token.

import { randomBytes } from 'node:crypto';
import type { Auth } from '../../doors/access/auth.ts';
import { defaultTokenFile, readTokenFile } from '../../doors/access/token-file.ts';
import { tokens } from '../../doors/access/tokens.ts';
import { readPrivately, replacePrivately } from '../../process/files/private-file.ts';
import type { HttpOptions } from './serve-http.ts';

interface HttpClients {
  auth?: Auth;
  /** The owner's. */
  token?: string;
  /** For people. */
  clients: string;
}

/** The owner's token is used only where there is no file of tokens: one that was removed must not be replaced by it. */
export function findClients(options: HttpOptions, ownerFile: string, note: (text: string) => void): HttpClients {
  const file = options.tokens ?? defaultTokenFile();
  const entries = readTokenFile(file);
  if (options.tokens === undefined && entries === undefined) {
    return { token: keptToken(ownerFile), clients: `The token is in ${ownerFile}` };
  }
  const onError = (error: Error) => note(`${error.message}. The tokens that were read before stay valid.`);
  const clients =
    entries?.length === 0
      ? `${file} has no tokens: make one with \`standpipe token add\``
      : `The tokens are those of ${file}`;
  return { auth: tokens(file, { onError }), clients };
}

/** It stays the same from one start to the next, so that clients keep their settings. */
function keptToken(file: string): string {
  try {
    const kept = readPrivately(file)?.trim();
    if (kept !== undefined && /^[\w-]{32,}$/.test(kept)) return kept;
  } catch {
    // others could have read or written it
  }
  const token = randomBytes(24).toString('base64url');
  replacePrivately(file, `${token}\n`);
  return token;
}
