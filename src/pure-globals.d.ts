// The only globals the pure folders may use: web standards that every JavaScript runtime has and that do no I/O.
// Compiled by tsconfig.pure.json alone; everywhere else Node's own types declare the same names.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}
declare var AbortSignal: { abort(reason?: unknown): AbortSignal; any(signals: AbortSignal[]): AbortSignal };

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}
declare class TextEncoder {
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
  encode(input: string): Uint8Array<ArrayBuffer>;
}

declare function setTimeout(callback: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function queueMicrotask(callback: () => void): void;
declare const performance: { now(): number };
declare function btoa(binary: string): string;
declare function atob(encoded: string): string;
declare const crypto: {
  getRandomValues(array: Uint8Array): Uint8Array;
  subtle: {
    digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>;
    importKey(
      format: 'raw',
      key: Uint8Array,
      algorithm: { name: 'HMAC'; hash: 'SHA-256' },
      extractable: boolean,
      usages: 'sign'[],
    ): Promise<CryptoKey>;
    sign(algorithm: 'HMAC', key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer>;
  };
};
interface CryptoKey {
  readonly type: string;
}
