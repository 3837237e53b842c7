// Redacts the secrets of all servers in their traffic: a server may repeat a secret of another one. A secret that was removed from
// the config stays hidden: earlier traffic is still stored, and the secret may still be valid.

import type { ServerConfig } from '../../config/server-config.ts';
import { maskForms, masksByForm } from '../../secrets/mask-values.ts';
import { type Redact, redactor } from '../../secrets/redact.ts';
import { secretsInArguments } from '../../secrets/redact-arguments.ts';

export class ServerSecrets {
  readonly #maskOf = new Map<string, string>();
  #redact: Redact = redactor();

  constructor(servers: readonly ServerConfig[]) {
    this.learn(servers);
  }

  /** Must be called before these servers are started. */
  learn(servers: readonly ServerConfig[]): void {
    for (const { env, secrets, args } of servers) {
      const known = masksByForm(env, [...secrets, ...secretsInArguments(args)]);
      for (const [form, mask] of known) this.#maskOf.set(form, mask);
    }
    this.#redact = redactor({ mask: maskForms(this.#maskOf) });
  }

  readonly redact: Redact = (text) => this.#redact(text);
}
