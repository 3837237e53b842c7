// Errors about unknown names suggest the closest name and list the existing names. For an unusable config entry, the error has the reason.

import { RpcError, UsageError } from '../../base/errors.ts';
import type { Config } from '../../config/files/load-config.ts';
import { hintOfNames } from '../../config/nearest.ts';
import { type ConfigProblem, problemError } from '../../config/problem.ts';

/** One error for each entry and each file that cannot be used. */
export function rejections(config: Pick<Config, 'rejected' | 'problems'> | undefined): ConfigProblem[] {
  const ofFiles = config?.problems.filter(({ server, severity }) => server === undefined && severity === 'error') ?? [];
  const ofEntries = (config?.rejected ?? []).flatMap(({ name, source }) => {
    const isReason = (each: ConfigProblem) =>
      each.server === name && each.file === source.file && each.severity === 'error';
    return config!.problems.find(isReason) ?? [];
  });
  return [...ofFiles, ...ofEntries];
}

export function unknownServer(
  name: string,
  names: readonly string[],
  rejected: readonly ConfigProblem[],
  more?: string,
): UsageError {
  const problem = rejected.find(({ server }) => server === name);
  if (problem) return problemError(problem);
  const elsewhere = onNodes(name, names);
  const there =
    elsewhere.length > 0
      ? `Nodes of the fleet have it: ${elsewhere.join(', ')}.`
      : hintOfNames(name, names, 'The config has no servers that can be used.');
  return new UsageError('NAME_UNKNOWN', `There is no server named "${name}"`, {
    hint: more === undefined ? there : `${there.replace(/\.$/, '')}. ${more}`,
  });
}

/** Servers of other nodes with this name: `files@one` for `files`. */
export function onNodes(name: string, names: readonly string[]): string[] {
  return names.filter((each) => each.startsWith(`${name}@`));
}

/** Adds a hint to a server's refusal of a name that it never listed. */
export function refusedUnknown(error: unknown, name: string, names: readonly string[]): unknown {
  if (!(error instanceof RpcError) || error.hint !== undefined || names.length === 0) return error;
  const hint = hintOfNames(name, names, undefined);
  return new RpcError(error.rpcCode, error.message, error.data, { hint, evidence: error.evidence, cause: error });
}
