import { isObject } from '../../base/json-object.ts';

/** Whether the body of a refusal is a message. */
export function isAnswer(body: Buffer): boolean {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isObject(parsed) && parsed.jsonrpc === '2.0' && isObject(parsed.error);
  } catch {
    return false;
  }
}
