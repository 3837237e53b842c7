// The command that a user types to run Standpipe. Messages that name a command of Standpipe are built with it, because
// `standpipe` is not in PATH after `npx standpipe`.

/** Pure modules are compiled without the types of Node.js. */
const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };

/** npm and compatible programs set `npm_command` for commands run by `npx` and by scripts. */
export const ownCommand = process?.env?.npm_command ? 'npx standpipe' : 'standpipe';
