// What a test opened is closed after it, the newest first: pages before the backend they look at, that before its host.

import { afterEach } from 'vitest';

const toClose: (() => Promise<void>)[] = [];

export function later(close: () => Promise<void>): void {
  toClose.push(close);
}

afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});
