// Takes the secrets of servers out of what is shown of their traffic: what one of them is given, another may repeat. A
// secret that the config no longer has stays hidden: what was said with it is still remembered, and it may still be valid.

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

  /** To be called before these servers are started. */
  learn(servers: readonly ServerConfig[]): void {
    for (const { env, secrets, args } of servers) {
      const known = masksByForm(env, [...secrets, ...secretsInArguments(args)]);
      for (const [form, mask] of known) this.#maskOf.set(form, mask);
    }
    this.#redact = redactor({ mask: maskForms(this.#maskOf) });
  }

  readonly redact: Redact = (text) => this.#redact(text);
}
