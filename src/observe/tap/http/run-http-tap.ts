// `standpipe tap <url>`: starts an HTTP tap with a recorder and a socket for viewers.

import { maskedUrl } from '../../../base/secrets/mask-http.ts';
import { FlowStore } from '../../flow/store.ts';
import { type ObserverOptions, startObservers } from '../observers.ts';
import { HttpTap } from './http-tap.ts';

export interface HttpTapRun extends ObserverOptions {
  url: string;
  port?: number;
  /** The name of the server in recordings and lists. Default: the host of the address. */
  name?: string;
  keepFrameBytes?: number;
  maxBytes?: number;
  maxEvents?: number;
}

export interface RunningHttpTap {
  /** The URL that the host uses instead of the URL of the server. */
  readonly address: string;
  close(): Promise<void>;
}

/** `warn` is called if recording or viewing fails, which does not affect the traffic. */
export async function startHttpTap(options: HttpTapRun, warn: (problem: string) => void): Promise<RunningHttpTap> {
  const { url, port, name = nameOf(url), keepFrameBytes } = options;
  const { maxBytes = 4 * 1024 * 1024, maxEvents = 20_000 } = options;
  const store = new FlowStore({ maxBytes, maxEvents, ...(keepFrameBytes !== undefined && { keepFrameBytes }) });
  const source = store.begin(name);
  const note = (text: string) => source.add({ kind: 'note', text });
  const tap = new HttpTap({ url, port, store, source, note });
  const address = await tap.listen();
  const command = maskedUrl(url);
  note(`Requests to ${address} are forwarded to ${command}`);
  const about = { kind: 'tap', name, command, cwd: process.cwd(), record: options.record } as const;
  const observers = startObservers(store, source, about, options, (problem) => {
    note(problem);
    warn(problem);
  });
  return {
    address,
    async close() {
      await tap.close();
      await observers.close();
    },
  };
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
