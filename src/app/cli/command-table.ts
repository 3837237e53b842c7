// All commands: name, summary and module. A module is loaded only when its command runs, which keeps the start fast.

import type { CommandModule } from './invocation.ts';

interface TableEntry {
  /** Begins with a verb and fits on one help line of 80 columns. */
  summary: string;
  load: () => Promise<CommandModule>;
  /** Earlier name of the command, which still works. */
  alias?: string;
}

const control = () => import('./commands/control.ts');
const edit = () => import('./commands/edit.ts');
const between = () => import('./commands/tap.ts');
const login = () => import('./commands/login.ts');

/** Groups of the help. The most used commands come first. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, TableEntry>>>> = {
  'Use a server': {
    tools: { summary: 'list the tools of a server or of all servers', load: () => import('./commands/tools.ts') },
    call: { summary: 'call a tool', load: () => import('./commands/call.ts') },
    tasks: {
      summary: 'list, follow, answer and cancel detached calls',
      load: () => import('./commands/tasks.ts'),
    },
    read: { summary: 'read a resource, or list the resources', load: () => import('./commands/read.ts') },
    prompt: { summary: 'get a prompt, or list the prompts', load: () => import('./commands/prompt.ts') },
    check: {
      summary: 'test a server or a client against the specification',
      load: () => import('./commands/check.ts'),
    },
    inspect: { summary: 'show all messages in the Inspector, a web page', load: () => import('./commands/inspect.ts') },
    types: { summary: 'write TypeScript types for the tools of a server', load: () => import('./commands/types.ts') },
  },
  'Run servers': {
    up: {
      summary: 'run the servers of the config, and restart those that fail',
      load: () => import('./commands/up.ts'),
    },
    down: { summary: 'stop the running host and its servers', load: async () => (await control()).down },
    ls: { summary: 'list the servers and their state', load: () => import('./commands/ls.ts') },
    logs: {
      summary: 'show stderr, stray output and state changes of servers',
      load: () => import('./commands/logs.ts'),
    },
    audit: { summary: 'show and verify who called what', load: () => import('./commands/audit.ts') },
    start: { summary: 'start a server of the running host', load: async () => (await control()).control('start') },
    stop: { summary: 'stop a server of the running host', load: async () => (await control()).control('stop') },
    restart: {
      summary: 'restart a server of the running host',
      load: async () => (await control()).control('restart'),
    },
  },
  'Change configs': {
    add: { summary: 'add a server to the config', load: async () => (await edit()).add },
    rm: { summary: 'remove servers from the config', load: async () => (await edit()).rm, alias: 'remove' },
    config: {
      summary: 'show the config files, their servers and their errors',
      load: () => import('./commands/config.ts'),
    },
    doctor: {
      summary: 'check config, servers and system, and print fixes',
      load: () => import('./commands/doctor.ts'),
    },
    lock: { summary: 'approve the definitions of servers, or compare them', load: () => import('./commands/lock.ts') },
    import: { summary: 'copy servers from another host into the config', load: async () => (await edit()).importing },
    export: { summary: 'copy servers from the config to another host', load: async () => (await edit()).exporting },
  },
  'Connect programs': {
    share: {
      summary: 'let all windows of a host share one process of each server',
      load: async () => (await between()).share,
    },
    tap: { summary: 'show and record the traffic between host and server', load: async () => (await between()).tap },
    connect: {
      summary: "relay stdio to a shared server, in an editor's config",
      load: async () => (await between()).connect,
    },
    token: { summary: 'manage the tokens of clients of `up --http`', load: () => import('./commands/token.ts') },
    login: { summary: 'log in to a remote server in the browser', load: async () => (await login()).login },
    logout: { summary: 'log out of a remote server', load: async () => (await login()).logout },
    litemcp: { summary: 'serve a tool of an MCP server over LiteMCP', load: () => import('./commands/litemcp.ts') },
  },
  'Use a recording': {
    show: { summary: 'show a recording or live traffic in the terminal', load: () => import('./commands/show.ts') },
    recordings: {
      summary: 'list and remove the recordings of `tap --keep`',
      load: () => import('./commands/recordings.ts'),
    },
    replay: { summary: 'answer as a recorded server did', load: () => import('./commands/replay.ts') },
    verify: {
      summary: 'send recorded requests again and compare the answers',
      load: () => import('./commands/verify.ts'),
    },
    diff: { summary: 'compare two recordings of a server', load: () => import('./commands/diff.ts') },
    convert: {
      summary: 'write a recording as HTML, HAR, spans or a diagram',
      load: () => import('./commands/convert.ts'),
    },
  },
  'Run servers on several machines': {
    fleet: { summary: 'change and show the servers of a fleet', load: () => import('./commands/fleet.ts') },
    drain: { summary: 'move the servers of a fleet away from a node', load: () => import('./commands/drain.ts') },
  },
  Other: {
    completion: {
      summary: 'print completion for bash, zsh, fish or PowerShell',
      load: () => import('./commands/completion.ts'),
    },
  },
};

export const commandTable: Readonly<Record<string, TableEntry>> = Object.assign({}, ...Object.values(commandGroups));

/** Resolves a command name or alias. */
export function commandNamed(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return Object.keys(commandTable).find((name) => name === word || commandTable[name]!.alias === word);
}
