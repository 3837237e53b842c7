// Every command: its name, a summary, and its module. A module is loaded only when its command runs, which keeps the start
// fast.

import type { CommandModule } from './invocation.ts';

export interface TableEntry {
  summary: string;
  load: () => Promise<CommandModule>;
}

const control = async (verb: 'start' | 'stop' | 'restart') => (await import('./commands/control.ts')).control(verb);

export const commandTable: Readonly<Record<string, TableEntry>> = {
  up: {
    summary: 'run the servers of the config with supervision, until Ctrl-C',
    load: () => import('./commands/up.ts'),
  },
  down: { summary: 'stop the running host of the config', load: () => import('./commands/down.ts') },
  logs: {
    summary: 'show stderr, non-protocol output and state changes of the running host',
    load: () => import('./commands/logs.ts'),
  },
  ls: { summary: 'show the servers and their state', load: () => import('./commands/ls.ts') },
  start: { summary: 'start a server of the running host', load: () => control('start') },
  stop: { summary: 'stop a server of the running host', load: () => control('stop') },
  restart: { summary: 'restart a server of the running host', load: () => control('restart') },
  tools: { summary: 'list the tools of the servers', load: () => import('./commands/tools.ts') },
  types: { summary: 'write TypeScript types for the tools of a server', load: () => import('./commands/types.ts') },
  call: { summary: 'call a tool', load: () => import('./commands/call.ts') },
  read: { summary: 'read a resource', load: () => import('./commands/read.ts') },
  prompt: { summary: 'get a prompt', load: () => import('./commands/prompt.ts') },
  connect: {
    summary: 'be a stdio server that shares a server of the host of the config with other clients',
    load: () => import('./commands/connect.ts'),
  },
  share: {
    summary: 'let the windows of an MCP host share one process of each server',
    load: () => import('./commands/share.ts'),
  },
  check: {
    summary: 'test a server or a client against the rules of its protocol',
    load: () => import('./commands/check.ts'),
  },
  tap: {
    summary: 'forward and record the traffic between a host and its server',
    load: () => import('./commands/tap.ts'),
  },
  inspect: {
    summary: 'open the Inspector for running hosts and taps, a recording, a server or a command',
    load: () => import('./commands/inspect.ts'),
  },
  token: {
    summary: 'make, list and remove the tokens of clients of `up --http`',
    load: () => import('./commands/token.ts'),
  },
  fleet: {
    summary: 'show and change the servers of a fleet of hosts',
    load: () => import('./commands/fleet.ts'),
  },
  drain: {
    summary: 'move the servers of the fleet away from a node',
    load: () => import('./commands/drain.ts'),
  },
  add: { summary: 'add a server to the config: a command or a URL', load: () => import('./commands/add.ts') },
  remove: { summary: 'remove servers from the config', load: () => import('./commands/remove.ts') },
  login: {
    summary: 'log in to a remote server in the browser, or show the logins',
    load: () => import('./commands/login.ts'),
  },
  logout: { summary: 'remove the login of a remote server', load: () => import('./commands/logout.ts') },
  import: { summary: 'take servers of another host into the config', load: () => import('./commands/import.ts') },
  export: {
    summary: 'write servers of the config into the config of another host',
    load: () => import('./commands/export.ts'),
  },
  config: {
    summary: 'show the config files found, their servers and their errors',
    load: () => import('./commands/config.ts'),
  },
  litemcp: {
    summary: 'serve a tool of an MCP server as a LiteMCP server',
    load: () => import('./commands/litemcp.ts'),
  },
  completion: { summary: 'print the completion script for a shell', load: () => import('./commands/completion.ts') },
};
