// Which era each server turned out to speak, kept from one command to the next.

import { join } from 'node:path';
import { FileEraMemory } from '../../connect/file-era-memory.ts';
import { cacheFolder } from '../../process/files/cache-folder.ts';

export function userEraMemory(): FileEraMemory {
  return new FileEraMemory(join(cacheFolder(), 'eras.json'));
}
