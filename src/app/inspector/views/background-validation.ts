// Validates messages against the schemas while a page is open, between other work, so that violations are listed before the message
// is opened: the first three of each method of each server.

import type { FrameEvent } from '../../../observe/flow/event.ts';
import type { InspectorView } from './view.ts';

const STEP_EVENTS = 1_000;
const CHECKS_OF_A_KIND = 3;
const MOST_KINDS = 2_000;
const MOST_BYTES = 256 * 1024;

export class BackgroundValidation {
  readonly #view: InspectorView;
  readonly #checked = new Map<string, number>();
  #seenSeq = 0;
  #running = false;
  #stopped = false;

  constructor(view: InspectorView) {
    this.#view = view;
  }

  /** Continues to the newest event, unless it is running already. Never rejects. */
  async run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (!this.#stopped && (await this.#step())) await new Promise((resolve) => setImmediate(resolve));
    this.#running = false;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Returns whether there are more events. */
  async #step(): Promise<boolean> {
    const events = this.#view.source.flow.since(this.#seenSeq, STEP_EVENTS);
    for (const event of events) {
      this.#seenSeq = event.seq;
      if (event.kind === 'frame' && this.#isWanted(event)) await this.#view.problemsOf(event);
    }
    return events.length === STEP_EVENTS;
  }

  #isWanted(event: FrameEvent): boolean {
    if (event.direction !== 'fromServer' || event.cut || event.length > MOST_BYTES) return false;
    const { kind, messages } = this.#view.analysis.describe(event);
    const [exchange] = this.#view.analysis.exchangesOf(event.seq);
    const method = kind === 'response' ? exchange?.method : messages[0]?.method;
    if (method === undefined) return false;
    const key = JSON.stringify([event.server, kind, method]);
    const checks = this.#checked.get(key) ?? 0;
    if (checks >= CHECKS_OF_A_KIND || this.#checked.size >= MOST_KINDS) return false;
    this.#checked.set(key, checks + 1);
    return true;
  }
}
