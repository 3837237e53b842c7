// The stderr output of a server since an event, shown with a failed call. Secrets of the server are redacted.

import type { Clock } from '../base/clock.ts';
import { decodeText } from '../base/decode-text.ts';
import { redactor } from '../base/secrets/redact.ts';
import { maskOf } from '../config/secrets-of-server.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { FlowStore } from '../observe/flow/store.ts';

/** stderr is a separate pipe from the answer's, and an unfinished line is held for 50 ms. */
const SETTLE_MS = 100;
const MOST_CHARACTERS = 64 * 1024;

export async function stderrSince(flow: FlowStore, clock: Clock, config: ServerConfig, seq: number): Promise<string> {
  await new Promise<void>((resolve) => clock.after(SETTLE_MS, resolve));
  let text = '';
  for (const event of flow.since(seq)) {
    if (event.kind === 'stderr' && event.server === config.name) text += decodeText(event.payload);
    if (text.length > 2 * MOST_CHARACTERS) text = text.slice(-MOST_CHARACTERS);
  }
  return redactor({ mask: maskOf(config) })(text).slice(-MOST_CHARACTERS);
}
