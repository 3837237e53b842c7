// Parses the text of a config file in its format. The libraries for TOML and YAML are loaded on first use.

import type { ConfigFormat } from '../hosts/host-program.ts';
import { type JsonDocument, parseDocument } from './json-document.ts';

interface Place {
  file: string;
  layout?: { format: ConfigFormat } | undefined;
}

export async function parseText(text: string, { file, layout }: Place): Promise<JsonDocument> {
  if (layout?.format === 'toml') return (await import('./toml-document.ts')).parseToml(text, file);
  if (layout?.format === 'yaml') return (await import('./yaml-document.ts')).parseYaml(text, file);
  return parseDocument(text, file);
}
