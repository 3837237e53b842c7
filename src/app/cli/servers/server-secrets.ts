// Redacts the secrets of all servers in their traffic: a server may repeat a secret of another one. A secret that was removed from
// the config stays hidden: earlier traffic is still stored, and the secret may still be valid.

import { maskForms } from '../../../base/secrets/mask-values.ts';
import { type Redact, redactor } from '../../../base/secrets/redact.ts';
import { formsToMask } from '../../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../../config/server-config.ts';

export class ServerSecrets {
  readonly #maskOf = new Map<string, string>();
  #redact: Redact = redactor();

  constructor(servers: readonly ServerConfig[]) {
    this.learn(servers);
  }

  /** Call this before these servers start. */
  learn(servers: readonly ServerConfig[]): void {
    for (const server of servers) {
      for (const [form, mask] of formsToMask(server)) this.#maskOf.set(form, mask);
    }
    this.#redact = redactor({ mask: maskForms(this.#maskOf) });
  }

  readonly redact: Redact = (text) => this.#redact(text);
}
