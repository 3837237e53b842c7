// The nodes that may run a server, ordered by their number of slots. While a plan is made, loads only grow: so an outdated heap entry
// is detected when it reaches the top, and is put back with its current load.

/** A node while a plan is made. */
export interface NodeCandidate {
  readonly name: string;
  /** Of two nodes with the same load, the one with the lower order is taken. */
  readonly order: number;
  /** Number of its slots, including those that this plan adds. */
  load: number;
}

interface Item {
  node: NodeCandidate;
  load: number;
}

export class LeastLoaded {
  readonly #heap: Item[] = [];
  readonly #aside: NodeCandidate[] = [];

  constructor(nodes: Iterable<NodeCandidate>) {
    for (const node of nodes) this.#push(node);
  }

  /** The node with the lowest load that `fits`. It is not taken again before `restore`. */
  take(fits: (node: NodeCandidate) => boolean): NodeCandidate | undefined {
    for (let item = this.#pop(); item; item = this.#pop()) {
      const { node, load } = item;
      if (load !== node.load) {
        this.#push(node);
        continue;
      }
      this.#aside.push(node);
      if (fits(node)) return node;
    }
    return undefined;
  }

  /** Nodes that were taken or did not fit. */
  get aside(): readonly NodeCandidate[] {
    return this.#aside;
  }

  restore(): void {
    for (const node of this.#aside) this.#push(node);
    this.#aside.length = 0;
  }

  #push(node: NodeCandidate): void {
    const item = { node, load: node.load };
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(item, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  #pop(): Item | undefined {
    const heap = this.#heap;
    const [first, last] = [heap[0], heap.pop()];
    if (heap.length === 0 || !last) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Item, b: Item): boolean {
  return a.load < b.load || (a.load === b.load && a.node.order < b.node.order);
}
