// Hides secrets in a command line that is shown: values of `env`, values known to be secret, and what looks like one.
// Known forms alone: `--token x`, `--token=x`, `-e TOKEN=x`, `Authorization: x`, passwords in URLs, and the keys of some
// well-known services. A secret in another form is not recognised; it belongs into `env`.

import { isSecretVariable } from '../../base/secret-variable.ts';
import { maskValues } from '../../process/mask-values.ts';

export const masked = '••••';

/** Replaces the values of `env` and other values that are known to be secret. */
export function valueMask(env: Readonly<Record<string, string>>, secrets: readonly string[]): (text: string) => string {
  const known = Object.fromEntries(secrets.map((secret, index) => [`secret ${index}`, secret]));
  const mask = maskValues({ ...env, ...known });
  return (text) => mask(text).replaceAll(/\[env [^\]]*\]/g, masked);
}

export function maskArguments(args: readonly string[], maskValue: (text: string) => string): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1];
    if (before !== undefined && isOption(before) && isSecretVariable(before) && !isOption(arg)) return masked;
    return maskLooks(maskValue(arg));
  });
}

function isOption(arg: string): boolean {
  return /^-{1,2}[A-Za-z][\w.-]*$/.test(arg);
}

const serviceKeys = /\b(?:sk-|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|AIza|AKIA|ya29\.|eyJ)[\w.-]{8,}/g;

function maskLooks(arg: string): string {
  const named = /^([\w.-]+)(=|:\s*)[\s\S]+$/.exec(arg);
  if (named && isSecretVariable(named[1]!)) return `${named[1]}${named[2]}${masked}`;
  return arg
    .replaceAll(serviceKeys, masked)
    .replace(/\b(Bearer|Basic)\s+\S+/gi, `$1 ${masked}`)
    .replaceAll(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${masked}@`)
    .replaceAll(/([?&][^=&#\s]+=)([^&#\s]+)/g, (all, key: string) =>
      isSecretVariable(key.slice(1, -1)) ? key + masked : all,
    );
}
