// `standpipe show --tui`: reads a recording or live traffic into the full-screen view.

import { basename } from 'node:path';
import { connectLive } from '../../../observe/live/find-live.ts';
import { type RecordingItem, readRecording, readRecordings } from '../../../observe/record/reader.ts';
import type { EntryFilter } from '../../../observe/show/entry-filter.ts';
import { followRecording } from '../../../observe/show/follow-recording.ts';
import { Traffic } from '../../../observe/show/traffic.ts';
import type { Invocation } from '../invocation.ts';
import type { FoundTraffic } from './find-traffic.ts';
import { FullScreen } from './full-screen.ts';
import { resend } from './resend.ts';
import { Screen } from './screen.ts';

const ITEMS_PER_PAUSE = 500;
/** Messages of older entries are dropped. */
const MOST_EVENTS = 200_000;
const MOST_BYTES = 128 * 1024 * 1024;

export interface ReadOptions {
  /** Whether to continue while the recording grows. */
  follow: boolean;
  see: (item: RecordingItem) => void;
  /** Called when the recording was read. It may throw. */
  check: () => Promise<void>;
}

const ofLive: ReadOptions = { follow: false, see: () => undefined, check: async () => undefined };

export async function showFullScreen(
  found: FoundTraffic,
  filter: EntryFilter,
  { out, signal }: Invocation,
  { follow, see, check }: ReadOptions = ofLive,
): Promise<void> {
  const full = new FullScreen(out);
  const title = found.live ? `${found.live.kind} ${found.live.name}` : basename(found.file);
  const limits = { maxEvents: MOST_EVENTS, maxBytes: MOST_BYTES };
  const traffic = new Traffic({ title, ...limits, atStart: true, onEntry: (entry) => screen.add(entry) });
  const messagesOf = traffic.messagesOf.bind(traffic);
  const screen = new Screen({
    ...{ title, filter, paint: out.paint, messagesOf, changed: full.changed },
    dateMs: (atMs) => traffic.dateMs(atMs),
    resend: (entry, confirmed) => resend(entry, messagesOf(entry), found, confirmed),
  });
  const ended = new AbortController();
  const socket = found.live && (await connectLive(found.live));
  const read = async () => {
    let items = 0;
    for await (const item of itemsOf()) {
      see(item);
      traffic.take(item);
      full.changed();
      if (++items % ITEMS_PER_PAUSE === 0) await new Promise(setImmediate); // keys are handled meanwhile
      if (ended.signal.aborted) return;
    }
    await check();
  };
  const itemsOf = () => {
    if (found.live) return readRecording(socket!);
    if (!follow) return readRecordings(found.file);
    return readRecording(followRecording(found.file, { signal: ended.signal, onStored: () => undefined }));
  };
  try {
    const reading = read();
    const failed = reading.then(
      () => new Promise<never>(() => undefined),
      (error: unknown) => {
        if (!ended.signal.aborted && !socket) throw error;
        return new Promise<never>(() => undefined); // a tap that was killed: what it has sent stays
      },
    );
    await Promise.race([full.show(screen, signal), failed.catch((error: unknown) => full.fail(error))]);
  } finally {
    ended.abort();
    socket?.destroy();
  }
}
