// Limits that a Standpipe client sets for one request. They arrive in `_meta` under a reserved key, which is removed here.

import { isObject } from '../../base/json-object.ts';
import { CALL_OPTIONS, type CallLimits } from '../meta.ts';
import type { Params } from '../service.ts';

/** Separates the limits from `_meta`. The returned `params` are those for the service. */
export function takeCallOptions(params: Params, meta: Params): { params: Params; options: CallLimits | undefined } {
  const { [CALL_OPTIONS]: options, ...otherMeta } = meta;
  const { _meta, ...others } = params;
  return {
    params: Object.keys(otherMeta).length > 0 ? { ...others, _meta: otherMeta } : others,
    options: isObject(options) ? readCallOptions(options) : undefined,
  };
}

function readCallOptions({ timeoutMs, totalTimeoutMs, repeatable, fresh }: Params): CallLimits {
  const options: CallLimits = {};
  if (isTime(timeoutMs)) options.timeoutMs = timeoutMs ?? Number.POSITIVE_INFINITY;
  if (isTime(totalTimeoutMs)) options.totalTimeoutMs = totalTimeoutMs ?? Number.POSITIVE_INFINITY;
  if (typeof repeatable === 'boolean') options.repeatable = repeatable;
  if (fresh === true) options.fresh = true;
  return options;
}

/** JSON writes Infinity as `null`, which means unlimited. */
function isTime(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && value > 0);
}
