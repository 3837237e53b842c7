// A node of a fleet without a host: its lease, its claims, its record, the requests of other nodes, and its placer are those of a
// real one, over a connection of its own. Its servers are claims without processes.

/** Nothing runs: a claim is all there is. */
const noProcesses = { run: async () => undefined, end: async () => undefined };
const LIFETIME_MS = 5_000;

export class SimulatedNode {
  name;
  #network;
  #lease;
  #placer;
  #table;

  /** `rank()`: how many nodes come before it. `withTable`: it also keeps the routing table that a node has for its clients. */
  static async join(parts, { url, fleet, name, rank, withTable }) {
    const node = new SimulatedNode();
    node.name = name;
    const network = await parts.openNetwork({ servers: [url], fleet, name, lifetimeMs: LIFETIME_MS });
    node.#network = network;
    const lease = new parts.NodeLease(network, `node.${name}`, name);
    node.#lease = lease;
    const claims = new parts.Claims(network, lease, noProcesses, name);
    await lease.acquire();
    parts.answerNodeRequests(network, name, {
      'standpipe/ping': () => ({ session: lease.session, nowMs: Date.now() }),
      'standpipe/place': (params) => claims.place(params),
      'standpipe/release': (params) => {
        claims.release(params);
        return {};
      },
      'standpipe/renew': async (params) => {
        await claims.renew(params);
        return {};
      },
    });
    await network.directory.nodes.create(name, {
      ...{ name, session: lease.session, labels: [], version: 'simulated', pid: process.pid, hostname: 'simulated' },
      ...{ startedAt: new Date().toISOString(), offers: [], draining: false },
    });
    if (withTable) {
      node.#table = new parts.RoutingTable(network, name);
      await node.#table.start();
    }
    node.#placer = new parts.Placer(network, name, { rank });
    node.#placer.start();
    return node;
  }

  /** As if it were killed: it gives nothing back. */
  async die() {
    this.#table?.stop();
    await this.#network.close();
    void this.#placer.stop();
    await this.#lease.release(); // ends its timers; without a connection, NATS learns nothing of it
  }
}
