// Takes the secrets of servers out of what is shown of their traffic: what one of them is given, another may repeat.

import type { ServerConfig } from '../../host/config/server-config.ts';
import { maskValues } from '../../secrets/mask-values.ts';
import { type Redact, redactor } from '../../secrets/redact.ts';
import { secretsInArguments } from '../../secrets/redact-arguments.ts';

/** `servers` is asked each time something is shown: a config can change. */
export function redactServers(servers: () => readonly ServerConfig[]): Redact {
  let known: readonly ServerConfig[] | undefined;
  let redact: Redact = (text) => text;
  return (text) => {
    const current = servers();
    if (current !== known) {
      known = current;
      redact = redactorOf(current);
    }
    return redact(text);
  };
}

function redactorOf(servers: readonly ServerConfig[]): Redact {
  const env = Object.assign({}, ...servers.map((server) => server.env));
  const secrets = servers.flatMap((server) => [
    ...Object.values(server.env), // of two servers, a variable may have two values
    ...server.secrets,
    ...secretsInArguments(server.args),
  ]);
  return redactor({ mask: maskValues(env, secrets) });
}
