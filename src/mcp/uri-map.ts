// Maps the URI of a resource to a value, which is also found by the URI of a part of the resource. The cost of a search
// depends on the number of different URI lengths, not on the number of URIs.

export class UriMap<T> extends Map<string, T> {
  /** The number of URIs of each length. */
  readonly #lengths = new Map<number, number>();

  override set(uri: string, value: T): this {
    if (!this.has(uri)) this.#lengths.set(uri.length, (this.#lengths.get(uri.length) ?? 0) + 1);
    return super.set(uri, value);
  }

  override delete(uri: string): boolean {
    if (!super.delete(uri)) return false;
    const left = this.#lengths.get(uri.length)! - 1;
    if (left > 0) this.#lengths.set(uri.length, left);
    else this.#lengths.delete(uri.length);
    return true;
  }

  override clear(): void {
    super.clear();
    this.#lengths.clear();
  }

  /** The entries of the resources that this URI names or is a part of. */
  *containing(uri: string): Iterable<[uri: string, value: T]> {
    for (const length of this.#lengths.keys()) {
      if (!mayEndAt(uri, length)) continue;
      const resource = uri.slice(0, length);
      if (this.has(resource)) yield [resource, this.get(resource)!];
    }
  }
}

/** "The URI MAY be a sub-resource of the one that the client subscribed to." */
function mayEndAt(uri: string, length: number): boolean {
  if (length >= uri.length) return length === uri.length;
  return uri[length - 1] === '/' || '/?#'.includes(uri[length]!);
}
