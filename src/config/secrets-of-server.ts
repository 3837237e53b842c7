// Collects the secret values of a server, which are hidden in all output and recordings.

import { secretsInHeaders } from '../base/credentials.ts';
import { type Mask, maskForms, masksByForm } from '../base/secrets/mask-values.ts';
import { redactor } from '../base/secrets/redact.ts';
import { secretsInArguments } from '../base/secrets/redact-arguments.ts';
import { secretsInAddress } from './expand/address.ts';
import type { ServerConfig } from './server-config.ts';

export interface ServerSecrets {
  /** Values that are replaced by their names. */
  env: Readonly<Record<string, string>>;
  secrets: readonly string[];
}

export function secretsOf(config: ServerConfig): ServerSecrets {
  if (config.url === undefined) {
    return { env: config.env, secrets: [...config.secrets, ...secretsInArguments(config.args)] };
  }
  const values = [...secretsInHeaders(config.headers), ...secretsInAddress(config.url)];
  return { env: {}, secrets: [...config.secrets, ...values] };
}

export function maskOf(config: ServerConfig): Mask {
  return maskForms(formsToMask(config));
}

/** All forms of the secrets, with their replacements. */
export function formsToMask(config: ServerConfig): ReadonlyMap<string, string> {
  const { env, secrets } = secretsOf(config);
  return masksByForm(env, secrets);
}

/** Printable address or command of a server. */
export function shownUrl(config: ServerConfig): string | undefined {
  return config.url === undefined ? undefined : redactor({ mask: maskOf(config) })(config.url);
}
