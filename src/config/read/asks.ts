// Reads what an entry says about questions of its server to clients: `asks` and `clientCapabilities`.

import type { Findings } from '../problem.ts';
import { defaultSettings, type InputCapability, inputCapabilities, type ServerConfig } from '../server-config.ts';
import type { Fields } from './fields.ts';

export function readAsks(fields: Fields): ServerConfig['asks'] {
  if (fields.value('asks')?.type === 'boolean') return fields.boolean('asks')!;
  const names = fields.texts('asks', 'Write "asks": true, or the tools that ask: "asks": ["book"].');
  return names?.map(({ text }) => text) ?? defaultSettings.asks;
}

export function readClientCapabilities(fields: Fields, findings: Findings): readonly InputCapability[] {
  const list = inputCapabilities.map((name) => `"${name}"`).join(', ');
  const names = fields.texts('clientCapabilities', `Write a list of ${list}. An empty one announces none.`);
  const unknown = names?.find(({ text }) => !inputCapabilities.includes(text as InputCapability));
  if (unknown) findings.error(unknown.at, `"clientCapabilities" must be a list of ${list}`);
  return names?.map(({ text }) => text as InputCapability) ?? defaultSettings.clientCapabilities;
}
