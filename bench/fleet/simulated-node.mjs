// A fleet node without a host: its lease, claims, record, handlers for requests of other nodes, and placer are those of
// a real node, over a separate connection. Its servers are claims without processes.

/** Claims start no processes. */
const noProcesses = { run: async () => undefined, end: async () => undefined };
const LIFETIME_MS = 5_000;

export class SimulatedNode {
  name;
  #network;
  #lease;
  #placer;
  #table;

  /**
   * `rank()`: the number of earlier nodes. `withTable`: the node also keeps the routing table that serves its clients.
   */
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

  /** Simulates a kill: claims and the lease are not released. */
  async die() {
    this.#table?.stop();
    await this.#network.close();
    void this.#placer.stop();
    await this.#lease.release(); // ends its timers; without a connection, NATS is not informed
  }
}
