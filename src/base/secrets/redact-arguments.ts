// Redacts secrets in the arguments of a command: the argument after an option with a secret name, and secrets inside one argument
// (`--token=x`, `TOKEN=x`, `Authorization: x`, passwords in URLs, keys of well-known services).

import { isWorthMasking, type Mask } from './mask-values.ts';
import { hider, type Redact, redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

/** `mask` hides known values. */
export function redactArguments(args: readonly string[], mask: Mask): string[] {
  return replaceIn(args, redactor({ mask }), hider(mask));
}

/** Returns the secret values, so that they can be hidden in other output too. */
export function secretsInArguments(args: readonly string[]): string[] {
  const secrets = new Set<string>();
  const onSecret = (secret: string) => secrets.add(secret);
  const hide = hider((text) => text, onSecret);
  replaceIn(args, redactor({ onSecret }), hide);
  return [...secrets].filter((secret) => isWorthMasking(secret));
}

function replaceIn(args: readonly string[], redact: Redact, hide: (secret: string) => string): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1];
    const isValue = before !== undefined && isOption(before) && isSecretName(before) && !isOption(arg);
    return isValue ? hide(arg) : redact(arg);
  });
}

function isOption(arg: string): boolean {
  return /^-{1,2}[A-Za-z][\w.-]*$/.test(arg);
}
