// Those who watch a tap: the recorder and the viewers. Loaded after the server was started, since it must not wait for
// them; the store has kept what happened until then. None of their failures reaches the traffic.

import { toError } from '../base/errors.ts';
import { isSecretVariable } from '../base/secret-variable.ts';
import { type Redact, redactor } from '../flow/redact.ts';
import { hidingWorthy } from '../flow/secret-names.ts';
import type { FlowStore } from '../flow/store.ts';
import type { Announcement } from '../live/announce.ts';
import { maskValues } from '../process/mask-values.ts';
import type { RecorderOptions } from '../record/recorder.ts';

export interface OnlookerOptions {
  /** The file to record to. */
  record?: string;
  recorder?: Pick<RecorderOptions, 'maxFileBytes' | 'maxFiles' | 'flushMs'>;
  /** Whether others may find and watch this tap. They may unless told otherwise. */
  announce?: boolean;
  runtimeFolder?: string;
  /** Variables of our environment whose values are hidden, beside those whose names promise a secret. */
  maskEnv?: readonly string[];
  redactKeys?: readonly string[];
  redactPaths?: readonly string[];
}

export interface Onlookers {
  /** Lets them finish, but not for long. Never rejects. */
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 1000;

export function inviteOnlookers(
  store: FlowStore,
  about: Announcement,
  options: OnlookerOptions,
  warn: (problem: string) => void,
): Onlookers {
  const redact = redactorFor(options);
  const invited = [recordTo(store, about, options, redact, warn), announceIn(store, about, options, redact, warn)];
  return {
    async close() {
      const closed = Promise.all(invited.map(async (onlooker) => (await onlooker)?.close()));
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref())]);
    },
  };
}

type Warn = (problem: string) => void;
type Closable = { close(): Promise<void> } | undefined;

async function recordTo(
  store: FlowStore,
  about: Announcement,
  { record: file, recorder }: OnlookerOptions,
  redact: Redact,
  warn: Warn,
): Promise<Closable> {
  if (file === undefined) return undefined;
  const { record } = await import('../record/recorder.ts');
  const onFailure = (error: Error) => warn(`cannot record to ${file}: ${error.message}`);
  return record(store, {
    file,
    redact,
    about: { ...about, command: redact(about.command ?? '') },
    onFailure,
    ...recorder,
  });
}

async function announceIn(
  store: FlowStore,
  about: Announcement,
  options: OnlookerOptions,
  redact: Redact,
  warn: Warn,
): Promise<Closable> {
  if (options.announce === false) return undefined;
  try {
    const { announce } = await import('../live/announce.ts');
    return await announce(store, about, { folder: options.runtimeFolder, redact });
  } catch (thrown) {
    warn(`cannot be watched: ${toError(thrown).message}`);
    return undefined;
  }
}

function redactorFor({ maskEnv = [], redactKeys, redactPaths }: OnlookerOptions): Redact {
  const hidden = Object.entries(process.env).filter(([name]) => maskEnv.includes(name) || isSecretVariable(name));
  const mask = maskValues(hidingWorthy(Object.fromEntries(hidden)));
  return redactor({ mask, keys: redactKeys, paths: redactPaths });
}
