// The certificate of `up --http` and its key, read from files and again when these change: certificates are renewed while it runs.

import { readFileSync } from 'node:fs';
import { toError, UsageError } from '../../../base/errors.ts';
import { FileWatch } from '../../../config/files/watch-files.ts';
import type { Tls } from '../../../host/gateway/http/listener.ts';

export interface TlsFiles {
  cert: string;
  key: string;
}

export function tlsFiles(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new UsageError('INVALID_OPTION', 'A certificate and its key are needed together', {
    hint: 'Give both: --tls-cert FILE --tls-key FILE.',
  });
}

export function readTls({ cert, key }: TlsFiles): Tls {
  return { cert: read(cert), key: read(key) };
}

/** Returns a function that stops it. */
export function watchTls(files: TlsFiles, renew: (tls: Tls) => void, note: (text: string) => void): () => void {
  const paths = [files.cert, files.key];
  const onChange = async () => {
    try {
      renew(readTls(files));
    } catch (error) {
      note(`${toError(error).message}. The certificate that was read before is used.`);
    }
  };
  const watching = new FileWatch(paths, paths, onChange);
  return () => watching.close();
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError('INVALID_OPTION', `Cannot read ${file}: ${toError(error).message}`, { cause: error });
  }
}
