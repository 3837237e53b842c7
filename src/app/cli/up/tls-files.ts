// The certificate and key of `up --http`. The files are read again when they change, because certificates are renewed at run time.

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
  throw new UsageError('INVALID_OPTION', '--tls-cert and --tls-key must be used together', {
    hint: 'Give both: --tls-cert FILE --tls-key FILE.',
  });
}

export function readTls({ cert, key }: TlsFiles): Tls {
  return { cert: read(cert), key: read(key) };
}

/** Returns a function that stops watching. */
export function watchTls(files: TlsFiles, renew: (tls: Tls) => void, note: (text: string) => void): () => void {
  const paths = [files.cert, files.key];
  const onChange = async () => {
    try {
      renew(readTls(files));
    } catch (error) {
      note(`${toError(error).message}. The certificate read earlier stays in use.`);
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
