// The messages and bytes that NATS counts for each connection of a node, both directions together.

const MINUTE_MS = 60_000;
const PAGE = 1_024;

export class Traffic {
  #nats;
  #hasTable;

  /** `hasTable(number)`: whether that node has a routing table. */
  constructor(nats, hasTable) {
    this.#nats = nats;
    this.#hasTable = hasTable;
  }

  /** Totals of one connection so far. */
  async of(name) {
    return (await this.#read()).get(name);
  }

  /**
   * Messages and bytes per node and minute: the median of the nodes without and with a routing table, and the maximum.
   */
  async during(run) {
    const before = await this.#read();
    const startMs = performance.now();
    await run();
    const minutes = (performance.now() - startMs) / MINUTE_MS;
    const after = await this.#read();
    const used = [...after].flatMap(([name, now]) => {
      const then = before.get(name);
      if (!then || !/^n\d+$/.test(name)) return [];
      const rate = (key) => (now[key] - then[key]) / minutes;
      return [{ withTable: this.#hasTable(Number(name.slice(1))), messages: rate('messages'), bytes: rate('bytes') }];
    });
    const part = (nodes) => ({ messages: median(nodes, 'messages'), bytes: median(nodes, 'bytes') });
    return {
      node: part(used.filter(({ withTable }) => !withTable)),
      withTable: part(used.filter(({ withTable }) => withTable)),
      most: {
        messages: Math.max(...used.map(({ messages }) => messages)),
        bytes: Math.max(...used.map(({ bytes }) => bytes)),
      },
    };
  }

  async #read() {
    const found = new Map();
    for (let offset = 0; ; offset += PAGE) {
      const { connections, total } = await this.#nats.monitor(`connz?limit=${PAGE}&offset=${offset}`);
      for (const { name, in_msgs, out_msgs, in_bytes, out_bytes } of connections) {
        found.set(name, { messages: in_msgs + out_msgs, bytes: in_bytes + out_bytes });
      }
      if (offset + PAGE >= total) return found;
    }
  }
}

function median(nodes, key) {
  const values = nodes.map((node) => node[key]).sort((a, b) => a - b);
  return values[values.length >> 1] ?? Number.NaN;
}
