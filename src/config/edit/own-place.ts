// Finds the config that commands change: the one that Standpipe uses in this folder, or a new one.

import { existsSync } from 'node:fs';
import { type ConfigPlace, ownUserPlace, placeOf, projectPlaces } from '../files/places.ts';
import type { SystemContext } from '../system-context.ts';

export interface OwnPlaceOptions {
  config?: string | undefined;
  /** Change the user config instead of the project config. */
  user?: boolean | undefined;
}

export function ownPlaceOf({ config, user }: OwnPlaceOptions, context: SystemContext): ConfigPlace {
  if (config !== undefined) return placeOf(config, context);
  if (user) return ownUserPlace(context);
  const places = projectPlaces(context);
  return places.find(({ file }) => existsSync(file)) ?? places[0]!;
}
