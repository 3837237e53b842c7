// Parses the text of a config file in its format. The libraries for TOML and YAML are loaded on first use.

import type { ConfigPlace } from '../files/places.ts';
import { type JsonDocument, parseDocument } from './json-document.ts';

export async function parseText(text: string, { file, layout }: ConfigPlace): Promise<JsonDocument> {
  if (layout?.format === 'toml') return (await import('./toml-document.ts')).parseToml(text, file);
  if (layout?.format === 'yaml') return (await import('./yaml-document.ts')).parseYaml(text, file);
  return parseDocument(text, file);
}
