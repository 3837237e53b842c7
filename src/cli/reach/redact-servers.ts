// Takes the secrets of servers out of what is shown of their traffic: what one of them is given, another may repeat.

import { type Redact, redactor } from '../../flow/redact.ts';
import type { ServerConfig } from '../../host/config/server-config.ts';
import { maskValues } from '../../process/mask-values.ts';

/** `servers` is asked each time something is shown: a config can change. */
export function redactServers(servers: () => readonly ServerConfig[]): Redact {
  let known: readonly ServerConfig[] | undefined;
  let redact: Redact = (text) => text;
  return (text) => {
    const current = servers();
    if (current !== known) {
      known = current;
      redact = redactor({ mask: maskValues(secretsOf(current)) });
    }
    return redact(text);
  };
}

function secretsOf(servers: readonly ServerConfig[]): Record<string, string> {
  const entries = servers.flatMap(({ name, env, secrets }) => [
    ...Object.entries(env).map(([key, value]) => [`${name} ${key}`, value] as const),
    ...secrets.map((secret, at) => [`${name} ${at}`, secret] as const),
  ]);
  return Object.fromEntries(entries);
}
