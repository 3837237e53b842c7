// A fleet server as this node runs it: variables are those of this node, and relative paths start at its folder.

import { readFileSync } from 'node:fs';
import { toError, UsageError } from '../../../base/errors.ts';
import { expandForm, readForm } from '../../../config/config-file.ts';
import { resolveInputsSync } from '../../../config/expand/inputs.ts';
import { decodeFile } from '../../../config/files/disk.ts';
import type { ConfigPlace } from '../../../config/files/places.ts';
import { parseDocument } from '../../../config/read/json-document.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { type SystemContext, systemContext } from '../../../config/system-context.ts';
import type { ServerRecord } from '../cluster-network.ts';

/** Used in place of a file name. */
export const FLEET_CONFIG = 'the config of the fleet';

/** Throws with the reason if the server cannot run here: for example an unset variable or a missing file. */
export function configOnNode({ name, entry }: ServerRecord, context: SystemContext = systemContext()): ServerConfig {
  const place: ConfigPlace = { file: FLEET_CONFIG, origin: 'named', folder: context.cwd };
  const document = parseDocument(JSON.stringify({ mcpServers: { [name]: entry } }), FLEET_CONFIG);
  const form = readForm(document, place, context.platform);
  const inputs = resolveInputsSync(form.inputIds, [], context);
  const sources = { ...context, folder: context.cwd, definitions: [], inputs };
  const { servers, problems } = expandForm(form, place, sources, textOf);
  const [config] = servers;
  if (config) return config;
  const { code, message, suggestion } = problems.find(({ severity }) => severity === 'error')!;
  throw new UsageError(code ?? 'CONFIG_INVALID', message, { hint: suggestion });
}

function textOf(file: string): string | Error {
  try {
    return decodeFile(readFileSync(file));
  } catch (error) {
    return toError(error);
  }
}
