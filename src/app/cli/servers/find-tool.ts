// Finds the tool of a call: `server tool`, `server/tool`, a tool name that is unique among all servers, or only a server that has one
// tool.

import { ownCommand } from '../../../base/own-command.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { Tool } from '../../../mcp/types.ts';
import { invalidOption, type Settings } from '../invocation.ts';
import { parameterNames, readAssignment } from '../values/word.ts';
import type { Reached } from './reach-host.ts';

export interface FoundTool {
  server: string;
  protocol: ServerStatus['protocol'];
  tool: Tool;
  words: string[];
}

export async function findTool(reached: Reached, words: readonly string[], settings: Settings): Promise<FoundTool> {
  const { host, only } = reached;
  const { servers, notJoined } = await host.status();
  const named = (name: string | undefined) => servers.find((server) => server.name === name);
  if (only !== undefined) return ofServer(reached, named(only)!, words);
  const [first, ...rest] = words;
  if (first === undefined) throw invalidOption('No tool was given', HOW_TO_CALL);
  const server = named(first);
  if (server) return ofServer(reached, server, rest);
  const slash = first.indexOf('/');
  const owner = slash > 0 ? named(first.slice(0, slash)) : undefined;
  if (owner) return ofServer(reached, owner, [first.slice(slash + 1), ...rest]);
  const { explainRejected, onlyNode } = await import('./find-server.ts');
  await explainRejected(slash > 0 ? first.slice(0, slash) : first, reached, settings);
  const elsewhere = onlyNode(first, servers);
  if (elsewhere) return ofServer(reached, elsewhere, rest);
  const ownerElsewhere = slash > 0 ? onlyNode(first.slice(0, slash), servers) : undefined;
  if (ownerElsewhere) return ofServer(reached, ownerElsewhere, [first.slice(slash + 1), ...rest]);
  const { findByName, refuseMisspeltServer } = await import('./find-tool-by-name.ts');
  await refuseMisspeltServer(reached, servers, words, settings);
  return findByName(reached, { servers, notJoined }, first, rest);
}

const HOW_TO_CALL = `${ownCommand} call <server> <tool> [name=value …]`;

async function ofServer(reached: Reached, status: ServerStatus, words: readonly string[]): Promise<FoundTool> {
  const { name: server, protocol } = status;
  const { tools } = await reached.host.client(server).listTools();
  reached.remember(server, tools);
  const [first] = words;
  const [single] = tools;
  if (protocol === 'litemcp' && single) {
    const isNamed =
      (first === single.name || first === single.title) && words.length > parameterNames(single.inputSchema).length;
    return { server, protocol, tool: single, words: isNamed ? words.slice(1) : [...words] };
  }
  const tool = tools.find(({ name }) => name === first);
  if (tool) return { server, protocol, tool, words: words.slice(1) };
  if (tools.length === 1 && (first === undefined || first === '-' || readAssignment(first))) {
    return { server, protocol, tool: single!, words: [...words] };
  }
  const { noSuchTool } = await import('./find-tool-by-name.ts');
  throw noSuchTool(server, first, tools, reached.only === undefined ? undefined : words[1]);
}
