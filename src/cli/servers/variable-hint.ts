// A failed call of a server that this command has started: if the error or stderr names a variable that is set here and was not passed to
// the server, the hint says how to pass it on. For a server that does not start, the diagnosis says it.

import { passOn, withheldVariable } from '../../diagnosis/withheld-variable.ts';
import { childEnvironment, withheldNames } from '../../process/launch/environment.ts';
import type { Invocation } from '../invocation.ts';

/** `env`: the `--env` options. */
export function hintOfVariable(
  text: string,
  { serverCommand }: Pick<Invocation, 'serverCommand'>,
  env: readonly string[] = [],
): string | undefined {
  if (serverCommand === undefined) return undefined;
  const passed = childEnvironment(Object.fromEntries(env.map((word) => [word.split('=')[0]!, ''])));
  const name = withheldVariable(text, withheldNames(passed));
  return name === undefined ? undefined : passOn(name);
}
