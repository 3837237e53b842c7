// The config that commands change: the one that Standpipe reads in this folder, or the one that is created for it.

import { existsSync } from 'node:fs';
import { type ConfigPlace, ownUserPlace, placeOf, projectPlaces } from '../files/places.ts';
import type { SystemContext } from '../system-context.ts';

export interface OwnPlaceOptions {
  config?: string | undefined;
  /** The config of the user, and not that of the project. */
  user?: boolean | undefined;
}

export function ownPlaceOf({ config, user }: OwnPlaceOptions, context: SystemContext): ConfigPlace {
  if (config !== undefined) return placeOf(config, context);
  if (user) return ownUserPlace(context);
  const places = projectPlaces(context);
  return places.find(({ file }) => existsSync(file)) ?? places[0]!;
}
