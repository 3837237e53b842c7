// Authentication for `up --http`: tokens of the file or of an issuer, or else the owner's token.

import { randomBytes } from 'node:crypto';
import { UsageError } from '../../../base/errors.ts';
import { type Auth, anyOf } from '../../../host/gateway/access/auth.ts';
import { checkPublicUrl } from '../../../host/gateway/access/exposure.ts';
import { jwt } from '../../../host/gateway/access/jwt.ts';
import { defaultTokenFile, makeToken, readTokenFile } from '../../../host/gateway/access/token-file.ts';
import { futureTokens, tokens } from '../../../host/gateway/access/tokens.ts';
import { readPrivately, replacePrivately } from '../../../wire/process/files/private-file.ts';
import { invalidOption } from '../invocation.ts';
import type { HttpOptions } from './serve-http.ts';

interface HttpClients {
  auth: Auth;
  token?: string;
  clients: string;
}

/**
 * The owner's token is valid only if no other tokens are configured at the start: it must not replace a removed token. The default
 * token file is accepted as soon as it exists.
 */
export function findClients(options: HttpOptions, ownerFile: string, note: (text: string) => void): HttpClients {
  const file = options.tokens ?? defaultTokenFile();
  const entries = readTokenFile(file);
  const hasFile = options.tokens !== undefined || entries !== undefined;
  const ofFile = fileTokens(file, hasFile, note);
  if (options.publicUrl !== undefined) checkPublicUrl(options.publicUrl);
  const ofIssuer = issuerTokens(options, note);
  if (!hasFile && !ofIssuer) {
    return { auth: ofFile, token: keptToken(ownerFile), clients: `The token is in ${ownerFile}` };
  }
  const clients = [
    hasFile && entries?.length === 0
      ? `${file} has no tokens: make one with \`${makeToken(options.tokens)}\``
      : undefined,
    hasFile && entries?.length !== 0 ? `Tokens are read from ${file}` : undefined,
    ofIssuer && `Access tokens of ${options.jwtIssuer} are accepted`,
  ];
  const auth = ofIssuer ? anyOf(ofFile, ofIssuer) : ofFile;
  return { auth, clients: clients.filter((text) => text !== undefined).join('. ') };
}

function fileTokens(file: string, mustExist: boolean, note: (text: string) => void): Auth {
  const onError = ({ message }: Error) => note(`${message}. The tokens read earlier stay valid.`);
  return mustExist ? tokens(file, { onError }) : futureTokens(file, { onError });
}

function issuerTokens(options: HttpOptions, note: (text: string) => void): Auth | undefined {
  const { jwtIssuer: issuer, jwks, jwtAnyScope, publicUrl } = options;
  const audience = options.jwtAudience ?? (publicUrl === undefined ? undefined : new URL('/mcp', publicUrl).href);
  if (issuer === undefined) {
    if (options.jwtAudience === undefined && jwks === undefined && !jwtAnyScope) return undefined;
    throw invalidOption(
      '--jwt-audience, --jwks and --jwt-any-scope need --jwt-issuer',
      'Name the issuer of the access tokens: --jwt-issuer URL.',
    );
  }
  if (audience === undefined) {
    throw new UsageError(
      'INVALID_OPTION',
      '--jwt-issuer needs an audience, to refuse access tokens for other programs',
      {
        hint: 'Set it: --jwt-audience https://gateway.example.org/mcp, or give --public-url.',
      },
    );
  }
  return jwt({
    issuer,
    audience,
    jwks,
    rights: jwtAnyScope ? () => ({}) : undefined,
    onError: ({ message }) => note(message),
  });
}

/** The token is the same at each start, so that clients keep working. */
function keptToken(file: string): string {
  try {
    const kept = readPrivately(file)?.trim();
    if (kept !== undefined && /^[\w-]{32,}$/.test(kept)) return kept;
  } catch {
    // Other users could have read or written the file.
  }
  const token = randomBytes(24).toString('base64url');
  replacePrivately(file, `${token}\n`);
  return token;
}
