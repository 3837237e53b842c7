// The extensions that every host has.

import { appUris } from './apps.ts';
import type { Extension } from './extension.ts';
import { skillMethods } from './skills/skills.ts';
import { hostTasks } from './tasks/host-tasks.ts';

export const builtInExtensions: readonly Extension[] = [appUris, skillMethods, hostTasks()];
