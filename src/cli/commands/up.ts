import type { CommandModule } from '../invocation.ts';
export const define: CommandModule['define'] = (command, run) => {
  command.action(run(async () => undefined));
};
