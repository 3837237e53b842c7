// Checks whether content of a server has the form of a published revision, in the members that a client shows. Servers also send content
// in other forms.

import { isObject } from '../../base/json-object.ts';
import type { ContentBlock, ResourceContents } from '../types.ts';

export function isKnownBlock(block: unknown): block is ContentBlock {
  if (!isObject(block)) return false;
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string';
    case 'image':
    case 'audio':
      return typeof block.data === 'string';
    case 'resource_link':
      return typeof block.uri === 'string';
    case 'resource':
      return isKnownContents(block.resource);
    default:
      return false;
  }
}

export function isKnownContents(contents: unknown): contents is ResourceContents {
  return isObject(contents) && (typeof contents.text === 'string' || typeof contents.blob === 'string');
}
