// `params` of a result: the arguments of the call, by name.

import { isObject } from '../../../../base/json-object.ts';
import { notApplicable } from '../../../verdict.ts';
import type { Message } from '../../frames.ts';

/** Undefined if the answer is not a result with `params`. */
export function paramsOf({ message }: Message): Record<string, unknown> | undefined {
  return isObject(message.data) && isObject(message.data.params) ? message.data.params : undefined;
}

/** Undefined if the tool refused the call and `params` lacks the argument. */
export function paramOf(answer: Message, name: string): unknown {
  return paramsOf(answer)?.[name] ?? notApplicable('the arguments are not in "params" of the result');
}

/** Whether the call failed; undefined if the answer does not say. */
export function isError({ message }: Message): boolean | undefined {
  const response = isObject(message.data) ? message.data.response : undefined;
  return isObject(response) && typeof response.error === 'boolean' ? response.error : undefined;
}
