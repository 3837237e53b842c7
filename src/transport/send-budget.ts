// What waits for all readers of this process together. Beyond the limit, those who have something to read take on no more work
// until enough was read; those who have read everything are not affected.

export interface BudgetMember {
  /** The budget was exceeded, or is so no longer. */
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

  /** True from more than the limit until less than half of it. */
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
