import type { CommandModule } from '../invocation.ts';
import { defineControl } from './control.ts';

export const define: CommandModule['define'] = (command, run) => defineControl('stop', command, run);
