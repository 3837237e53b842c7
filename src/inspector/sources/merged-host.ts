// The hosts among several members, acted upon as one: a name finds its host.

import { UsageError } from '../../base/errors.ts';
import type { CallSettings } from '../../host/host-api.ts';
import type { RemoteHost } from '../../host/remote-host.ts';
import type { ServerStatus } from '../../host/server-state.ts';
import type { LiveMember } from './live-member.ts';
import type { ServerNames } from './server-names.ts';
import type { SourceHost } from './source.ts';

export class MergedHost implements SourceHost {
  readonly #members: ReadonlySet<LiveMember>;
  readonly #names: ServerNames;

  constructor(members: ReadonlySet<LiveMember>, names: ServerNames) {
    this.#members = members;
    this.#names = names;
  }

  async status(): Promise<ServerStatus[]> {
    const asked = [...this.#members].map(async (member) => {
      const statuses = await member.host?.status().catch(() => []); // it is going away
      return (statuses ?? []).map((status) => ({ ...status, name: this.#names.of(member, status.name) }));
    });
    return (await Promise.all(asked)).flat();
  }

  async listTools(server: string) {
    return this.#on(server, (host, name) => host.listTools(name));
  }

  async listResources(server: string) {
    return this.#on(server, (host, name) => host.listResources(name));
  }

  async listPrompts(server: string) {
    return this.#on(server, (host, name) => host.listPrompts(name));
  }

  async callTool(server: string, tool: string, args?: Record<string, unknown>, settings?: CallSettings) {
    return this.#on(server, (host, name) => host.callTool(name, tool, args, settings));
  }

  async readResource(server: string, uri: string, settings?: CallSettings) {
    return this.#on(server, (host, name) => host.readResource(name, uri, settings));
  }

  async getPrompt(server: string, prompt: string, args?: Record<string, string>, settings?: CallSettings) {
    return this.#on(server, (host, name) => host.getPrompt(name, prompt, args, settings));
  }

  async startServer(server: string) {
    return this.#on(server, (host, name) => host.startServer(name));
  }

  async stopServer(server: string) {
    return this.#on(server, (host, name) => host.stopServer(name));
  }

  async restartServer(server: string) {
    return this.#on(server, (host, name) => host.restartServer(name));
  }

  #on<T>(shown: string, run: (host: RemoteHost, server: string) => Promise<T>): Promise<T> {
    const found = this.#names.find(shown);
    if (!found?.member.host) throw new UsageError('NAME_UNKNOWN', `No host here runs a server named "${shown}"`);
    return run(found.member.host, found.server);
  }
}
