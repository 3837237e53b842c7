// The recorder and the socket for viewers of a tap. Loaded after the start of the server, which must not wait for them; the store keeps
// the events until then. Their failures do not affect the traffic.

import { toError } from '../../base/errors.ts';
import { maskValues } from '../../base/secrets/mask-values.ts';
import { type Redact, redactor } from '../../base/secrets/redact.ts';
import { secretsInArguments } from '../../base/secrets/redact-arguments.ts';
import { isSecretName } from '../../base/secrets/secret-names.ts';
import { unfinishedValue } from '../../base/secrets/unfinished-value.ts';
import { within } from '../../base/wait.ts';
import type { FlowSource } from '../flow/source.ts';
import type { FlowStore } from '../flow/store.ts';
import type { Announcement } from '../live/announce.ts';
import type { RecorderOptions } from '../record/recorder.ts';

export interface ObserverOptions {
  record?: string;
  /** Records to a new file in the folder of kept recordings. */
  keep?: boolean | undefined;
  recorder?: Pick<RecorderOptions, 'maxFileBytes' | 'maxFiles' | 'flushMs'>;
  /** Whether viewers can find and watch this tap. Default: true. */
  announce?: boolean;
  runtimeFolder?: string;
  /** Variables of our environment whose values are hidden, besides those with a secret name. */
  maskEnv?: readonly string[];
  /** Arguments of the server command, searched for secrets. */
  args?: readonly string[];
  redactKeys?: readonly string[];
  redactPaths?: readonly string[];
}

interface Closable {
  close(): Promise<void>;
}

/** Limits for closing. Unwritten data of the recorder, which may still be loading, is written at the exit of the process. */
const RECORDED_WITHIN_MS = 10_000;
const WATCHED_WITHIN_MS = 1000;

export function startObservers(
  store: FlowStore,
  source: FlowSource,
  about: Announcement,
  options: ObserverOptions,
  warn: (problem: string) => void,
): Closable {
  const { redact, unfinished } = secretsOf(options);
  source.unfinishedSecret = unfinished;
  const { record: given, keep, runtimeFolder: folder } = options;
  const recordTo = async (path: string | Promise<string>) => {
    const { record } = await import('../record/recorder.ts');
    const file = await path;
    const onFailure = (error: Error) => warn(`cannot record to ${file}: ${error.message}`);
    const shown = { ...about, command: redact(about.command ?? ''), record: file };
    return record(store, { file, redact, about: shown, onFailure, ...options.recorder });
  };
  const announceTap = async () => {
    const { announce } = await import('../live/announce.ts');
    const file = await Promise.resolve(kept).catch(() => undefined); // the recording reports why there is no file
    return announce(store, { ...about, record: file ?? given }, { folder, redact });
  };
  const kept = keep ? keepRecording(about.name, folder) : undefined;
  kept?.catch(() => undefined);
  const file = kept ?? given;
  const recording = file === undefined ? undefined : attempt(() => recordTo(file), 'recorded', warn);
  const watching = options.announce === false ? undefined : attempt(announceTap, 'watched', warn);
  const closed = (ms: number, observer: Promise<Closable | undefined> | undefined) =>
    within(store.clock, ms, Promise.allSettled([observer?.then((open) => open?.close())]));
  return {
    async close() {
      await Promise.all([closed(RECORDED_WITHIN_MS, recording), closed(WATCHED_WITHIN_MS, watching)]);
    },
  };
}

/** Recordings that running taps and hosts write are not removed for the new one. */
async function keepRecording(name: string, folder: string | undefined): Promise<string> {
  const [{ newKeptRecording }, { findLive }] = await Promise.all([
    import('../record/kept-recordings.ts'),
    import('../live/find-live.ts'),
  ]);
  const used = new Set((await findLive(folder)).map(({ record }) => record));
  return newKeptRecording(name, (file) => used.has(file));
}

type Warn = (problem: string) => void;

async function attempt(invite: () => Promise<Closable>, what: string, warn: Warn): Promise<Closable | undefined> {
  try {
    return await invite();
  } catch (thrown) {
    warn(`cannot be ${what}: ${toError(thrown).message}`);
    return undefined;
  }
}

function secretsOf({ maskEnv = [], args = [], redactKeys: keys, redactPaths: paths }: ObserverOptions) {
  const named = Object.entries(process.env).filter(([name]) => maskEnv.includes(name) || isSecretName(name));
  const [env, secrets] = [Object.fromEntries(named), secretsInArguments(args)];
  const redact: Redact = redactor({ mask: maskValues(env, secrets), keys, paths });
  return { redact, unfinished: unfinishedValue(env, secrets) };
}
