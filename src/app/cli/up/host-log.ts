// The log file of a background host: messages from the host and stderr of its servers. It remains after the host has ended, until the next one
// starts. It is private and has a limited size (bounded-log.ts).

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decodeText } from '../../../base/decode-text.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { FlowStore } from '../../../observe/flow/store.ts';
import { isTrusted, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import { readPrivately } from '../../../wire/process/files/private-file.ts';
import type { Settings } from '../invocation.ts';
import { controlNameOf } from '../servers/running-host.ts';

/** Limit for one line of stderr, in characters. */
const MOST_CHARACTERS = 4000;

export interface HostLogLine {
  atMs: number;
  line: string;
  text: string;
}

export function hostLogFile(settings: Settings): string | undefined {
  const name = controlNameOf(settings);
  return name === undefined ? undefined : join(runtimeFolder(), `${name}.log`);
}

/** Adds the stderr of the servers to the log. An event is redacted as a whole: a secret may have several lines. */
export function logStderr(flow: FlowStore, log: { write(text: string): void }, redact: Redact): void {
  flow.notice((_kind, _seq, event) => {
    if (event?.kind !== 'stderr') return;
    const at = new Date().toISOString();
    const lines = redact(decodeText(event.payload))
      .replace(/\r?\n$/, '')
      .split(/\r?\n/);
    const shown = lines.map((line) => visibleLine(line.slice(0, MOST_CHARACTERS)));
    log.write(shown.map((line) => `${at} ${visibleLine(event.server)} stderr: ${line}\n`).join(''));
  });
}

/** The log of the last background host for the settings; undefined if there is none. A line without a time continues the previous one. */
export function readHostLog(settings: Settings): { file: string; lines: HostLogLine[] } | undefined {
  const file = hostLogFile(settings);
  if (file === undefined || !isTrusted(runtimeFolder()) || !existsSync(file)) return undefined;
  const text = [`${file}.1`, file].map((each) => readPrivately(each) ?? '').join('');
  let atMs = 0;
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, time, rest] = /^(\d{4}-\S+Z) (.*)$/.exec(line) ?? [];
      if (time !== undefined) atMs = Date.parse(time);
      return { atMs, line, text: rest ?? line };
    });
  return { file, lines };
}
