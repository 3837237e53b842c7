// The command that a user types to run Standpipe. Messages that name one of its commands are built with it: after `npx standpipe`,
// there is no `standpipe` in PATH.

/** Pure modules have no types of Node.js. */
const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };

/** npm and compatible programs set the variable for commands of `npx` and of scripts. */
export const ownCommand = process?.env?.npm_command ? 'npx standpipe' : 'standpipe';
