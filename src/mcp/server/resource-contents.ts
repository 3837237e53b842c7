// What a resource's reader returned, as contents: text, bytes, or contents that are ready.

import type { ReadResourceResult, ResourceContents } from '../types.ts';

export type ResourceReturn = string | Uint8Array | ResourceContents | ResourceContents[] | ReadResourceResult;

export function toContents(returned: ResourceReturn, uri: string, mimeType: string | undefined): ReadResourceResult {
  if (typeof returned === 'string') return { contents: [labelled({ uri, text: returned }, mimeType)] };
  if (returned instanceof Uint8Array) return { contents: [labelled({ uri, blob: base64(returned) }, mimeType)] };
  if (Array.isArray(returned)) return { contents: returned };
  if ('contents' in returned) return returned;
  return { contents: [returned] };
}

function labelled<T extends ResourceContents>(contents: T, mimeType: string | undefined): T {
  return mimeType === undefined ? contents : { ...contents, mimeType };
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // As many at a time as a function call takes arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
