// A limit for the data queued for all readers of this process together. Above it, readers with queued data accept no further work until
// enough has been read. Readers without queued data are unaffected.

export interface BudgetMember {
  /** Called when the budget becomes exceeded or is no longer exceeded. */
  budgetChanged(): void;
}

export class SendBudget {
  readonly maxChars: number;
  #chars = 0;
  #isExceeded = false;
  readonly #members = new Set<BudgetMember>();

  constructor(maxChars: number) {
    this.maxChars = maxChars;
  }

  get chars(): number {
    return this.#chars;
  }

  /** Becomes true above the limit, and false again below half of it. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  join(member: BudgetMember): void {
    this.#members.add(member);
  }

  leave(member: BudgetMember): void {
    this.#members.delete(member);
  }

  add(chars: number): void {
    this.#chars += chars;
    const isExceeded = this.#chars > (this.#isExceeded ? this.maxChars / 2 : this.maxChars);
    if (isExceeded === this.#isExceeded) return;
    this.#isExceeded = isExceeded;
    for (const member of this.#members) member.budgetChanged();
  }
}
