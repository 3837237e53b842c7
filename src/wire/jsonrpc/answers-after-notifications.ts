// Delivers messages to a protocol that handles a notification in a promise and an answer at once, as the official SDK
// does. An answer is delivered after the handlers of the notifications before it, which would otherwise find their
// request finished. The order of messages is kept. Our peer handles every message at once and does not need this.

type Kind = 'answer' | 'notification' | 'other';

export class AnswersAfterNotifications {
  /** Whether a notification was delivered since the last answer. */
  #notified = false;
  #waiting: { kind: Kind; call: () => void }[] = [];
  /** A call is running or scheduled. */
  #isBusy = false;

  /** Calls at once, or after the pending calls have been made. */
  deliver(kind: Kind, call: () => void): void {
    this.#waiting.push({ kind, call });
    if (!this.#isBusy) this.#run();
  }

  #run = (): void => {
    this.#isBusy = true;
    let isLater = false;
    try {
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
        if (next.kind === 'answer' && this.#notified) {
          this.#notified = false;
          isLater = true;
          return queueMicrotask(this.#run); // runs after the promises that handle the notifications
        }
        if (next.kind === 'notification') this.#notified = true;
        this.#waiting.shift();
        next.call();
      }
    } finally {
      this.#isBusy = isLater;
    }
  };
}
