// Counts the outcomes of this node's calls, by the nodes that they were sent to: for metrics.

export const callOutcomes = ['answered', 'not_run', 'busy', 'lost', 'failed', 'cancelled'] as const;

/** Outcome of one attempt. `not_run`: it is sent again. `lost`: it may have run. `failed`: its answer could not be read. */
export type CallOutcome = (typeof callOutcomes)[number];

export class CallCounts {
  /** Number of requests to nodes about unanswered calls. */
  inquiries = 0;
  readonly #byNode = new Map<string, Map<CallOutcome, number>>();

  add(node: string, outcome: CallOutcome): void {
    const counts = this.#byNode.get(node) ?? this.#added(node);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  #added(node: string): Map<CallOutcome, number> {
    const counts = new Map<CallOutcome, number>();
    this.#byNode.set(node, counts);
    return counts;
  }

  *values(): Iterable<{ node: string; outcome: CallOutcome; count: number }> {
    for (const [node, counts] of this.#byNode) {
      for (const [outcome, count] of counts) yield { node, outcome, count };
    }
  }
}
