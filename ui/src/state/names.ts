// Strings that repeat, kept once: a row holds their number.

export class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** 0 stands for none. */
  number(name: string | undefined): number {
    if (name === undefined) return 0;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.list.push(name);
    this.#numbers.set(name, this.list.length);
    return this.list.length;
  }

  name(number: number): string | undefined {
    return this.list[number - 1];
  }
}
