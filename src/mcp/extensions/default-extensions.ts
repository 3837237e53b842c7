// The extensions that every client and server has, with the options that they add to declarations and calls. An
// extension with the same id in the options replaces one of them.

import type { Extension } from './extension.ts';
import { tasks } from './tasks/tasks.ts';

export type { HandleOption as CallHandleOption, TaskHandle as CallHandle } from './tasks/task-handle.ts';
export type { TaskToolOptions as ToolOptions } from './tasks/tasks.ts';

export const defaultExtensions: readonly Extension[] = [tasks()];
