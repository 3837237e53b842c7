// A promise that others settle.

export interface Waiting<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

export function waiting<T>(): Waiting<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Nobody may be waiting when it fails.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
