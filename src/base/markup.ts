// Escapes text for XML and HTML. Control characters become visible.

import { visible } from './terminal/visible.ts';

/** Also escapes characters that XML 1.0 cannot contain: unpaired surrogates and two noncharacters. */
export function xmlText(value: string): string {
  return visible(value)
    .replace(/[\ud800-\udfff\ufffe\uffff]/gu, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

export function xmlAttribute(value: string): string {
  return xmlText(value).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function htmlText(value: string): string {
  return visible(value).replace(/[&<>"']/g, (character) => entities[character]!);
}
