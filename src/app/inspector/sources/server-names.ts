// Unique names for the servers of several taps and hosts.

import type { LiveMember } from './live-member.ts';

export class ServerNames {
  readonly #owners = new Map<string, LiveMember>();
  readonly #shown = new Map<LiveMember, Map<string, string>>();

  /** The name under which a server of this member is shown. */
  of(member: LiveMember, server: string): string {
    let names = this.#shown.get(member);
    if (!names) {
      names = new Map();
      this.#shown.set(member, names);
    }
    let shown = names.get(server);
    if (shown === undefined) {
      shown = this.#claim(member, server);
      names.set(server, shown);
    }
    return shown;
  }

  /** The member that runs the server, and its name there. */
  find(shown: string): { member: LiveMember; server: string } | undefined {
    const member = this.#owners.get(shown);
    if (!member) return undefined;
    const entry = [...(this.#shown.get(member) ?? [])].find(([, name]) => name === shown);
    return entry && { member, server: entry[0] };
  }

  /** Frees the names of a member that has ended, and returns them. */
  release(member: LiveMember): string[] {
    const names = [...(this.#shown.get(member)?.values() ?? [])];
    for (const name of names) if (this.#owners.get(name) === member) this.#owners.delete(name);
    this.#shown.delete(member);
    return names;
  }

  #claim(member: LiveMember, server: string): string {
    const { kind, pid } = member.descriptor;
    const candidates = [server, `${server} (${kind} ${pid})`];
    const free =
      candidates.find((name) => !this.#owners.has(name)) ?? `${server} (${kind} ${pid}, ${this.#owners.size})`;
    this.#owners.set(free, member);
    return free;
  }
}
