// Reads an audit trail with its rotated files, oldest first, one line in memory at a time, and checks its chain.

import { createReadStream } from 'node:fs';
import { decodeText } from '../../base/decode-text.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { recordingFiles } from '../../observe/record/reader.ts';
import { newline } from '../../wire/framing/newline.ts';
import { AUDIT_VERSION, type AuditHeader, type AuditLine, type ChainLink, sha256, unchained } from './audit-line.ts';

export interface AuditProblem {
  readonly file: string;
  /** The number of the line; the first line has number 1. */
  readonly line: number;
  readonly problem: string;
}

export interface AuditVerdict {
  readonly files: readonly string[];
  readonly lines: number;
  readonly runs: number;
  /** Runs without a last line: their host was killed, or is still running. */
  readonly openRuns: number;
  /** Calls that were not recorded, because the file could not be written at that time. */
  readonly missing: number;
  /** Whether older files were deleted by rotation. */
  readonly isCut: boolean;
  /** The hash of the last line. A copy of it outside of the file shows later whether lines were removed from the end. */
  readonly last: string | undefined;
  /** Whether the expected hash is in the trail. */
  readonly hasExpected: boolean | undefined;
  /** The first 100 problems. */
  readonly problems: readonly AuditProblem[];
}

const MAX_LINE_BYTES = 1024 * 1024;
const MOST_PROBLEMS = 100;
const MOST_RUNS = 10_000;
/** A process that ends during a write may have written its last lines twice. */
const MOST_RECENT = 50_000;

interface Place {
  readonly file: string;
  readonly line: number;
}

interface RawLine extends Place {
  /** Undefined if the line is too long. */
  readonly text: string | undefined;
  /** Whether a newline ends the line. */
  readonly isWhole: boolean;
}

async function* rawLines(file: string): AsyncGenerator<RawLine> {
  let line = 0;
  let found: RawLine[] = [];
  const add = (text: string | undefined, isWhole = true) => found.push({ file, line: ++line, text, isWhole });
  const sink = {
    frame: (bytes: Uint8Array) => void add(decodeText(bytes)),
    fault: ({ code }: { code: string }) => void add(undefined, code !== 'FRAME_TRUNCATED'),
  };
  const decoder = newline().decoder({ maxFrameBytes: MAX_LINE_BYTES });
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    decoder.push(chunk, sink);
    yield* found;
    found = [];
  }
  decoder.end(sink);
  yield* found;
}

interface Run {
  /** The hash of the header. Undefined if it was in a file that was deleted. */
  readonly header: string | undefined;
  seq: number;
  hash: string;
  isOpen: boolean;
  readonly recent: Map<number, string>;
}

/** Passes each valid line to `seen`. A line whose hash is wrong is a problem, and is passed too. */
export async function readAudit(
  file: string,
  seen: (line: AuditLine, header: AuditHeader | undefined) => void = () => undefined,
  expected?: string,
): Promise<AuditVerdict> {
  const files = await recordingFiles(file).catch(() => []);
  if (files.length === 0) {
    throw new UsageError('CONFIG_NOT_FOUND', `There is no audit trail at ${file}`, {
      hint: 'Name the file that was given to `up --audit`.',
    });
  }
  const chain = new Chain(seen, expected);
  for (const each of files) for await (const line of rawLines(each)) chain.take(line);
  return chain.end(files);
}

class Chain {
  readonly #seen: (line: AuditLine, header: AuditHeader | undefined) => void;
  readonly #expected: string | undefined;
  readonly #runs = new Map<string, Run>();
  readonly #headers = new Map<string, AuditHeader>();
  readonly #problems: AuditProblem[] = [];
  #lines = 0;
  #runCount = 0;
  #openRuns = 0;
  #missing = 0;
  #isCut = false;
  #isFirst = true;
  #last: string | undefined;
  #found = false;
  /**
   * Handles a line that is not part of the trail. An incomplete line of a killed host is not a problem: a header
   * follows it, or the end of the file.
   */
  #torn: RawLine | undefined;

  constructor(seen: (line: AuditLine, header: AuditHeader | undefined) => void, expected: string | undefined) {
    this.#seen = seen;
    this.#expected = expected;
  }

  take(raw: RawLine): void {
    if (raw.text === '') return;
    const line = raw.text === undefined ? undefined : parse(raw.text);
    if (line?.standpipe === 'audit') {
      this.#torn = undefined;
      this.#header(line, raw.text!, raw);
      this.#isFirst = false;
      return;
    }
    this.#judgeTorn();
    if (!line || !this.#line(line, raw.text!, raw)) this.#torn = raw;
    this.#isFirst = false;
  }

  end(files: readonly string[]): AuditVerdict {
    if (this.#torn?.isWhole) this.#judgeTorn();
    return {
      files,
      lines: this.#lines,
      runs: this.#runCount,
      openRuns: this.#openRuns,
      missing: this.#missing,
      isCut: this.#isCut,
      last: this.#last,
      hasExpected: this.#expected === undefined ? undefined : this.#found,
      problems: this.#problems,
    };
  }

  #judgeTorn(): void {
    if (this.#torn) this.#report(this.#torn, 'This is not a line of an audit trail');
    this.#torn = undefined;
  }

  #header(line: Record<string, unknown>, text: string, place: Place): void {
    const { version, run: name } = line;
    if (typeof name !== 'string' || version !== AUDIT_VERSION) {
      this.#report(place, typeof name === 'string' ? `Unknown version ${version}` : 'The header has no run');
      return;
    }
    const [, after] = /,"after":(\{[^{}]*\})\}$/.exec(text) ?? [];
    const first = after === undefined ? text : `${text.slice(0, -`,"after":${after}}`.length)}}`;
    const link = after === undefined ? undefined : readLink(JSON.parse(after));
    const known = this.#runs.get(name);
    const header = sha256(first);
    if (known) this.#continued(known, header, link, name, place);
    else this.#began(line as unknown as AuditHeader, header, link, place);
  }

  /** The header of a run that is known: the run continues in a new file, or opened its file again. */
  #continued(known: Run, header: string, link: Omit<ChainLink, 'run'> | undefined, name: string, place: Place): void {
    if (known.header !== undefined && known.header !== header) {
      this.#report(place, `The header of run ${name} was changed`);
    }
    if (!link) return;
    const missing = this.#missingUntil(known, link);
    if (missing) this.#report(place, `Before this line, ${missing} of run ${name}`);
    if (link.seq > known.seq) this.#remember(known, link.seq, link.hash);
  }

  #began(line: AuditHeader, header: string, link: Omit<ChainLink, 'run'> | undefined, place: Place): void {
    if (this.#isFirst && (link ?? line.before) !== undefined) this.#isCut = true;
    if (!this.#isCut) {
      const missing = link ? `lines 1 to ${link.seq} are missing` : this.#missingBefore(line);
      if (missing) this.#report(place, `Before run ${line.run}, ${missing}`);
    } else if (!link && line.before && this.#runs.has(line.before.run)) {
      const missing = this.#missingBefore(line);
      if (missing) this.#report(place, `Before run ${line.run}, ${missing}`);
    }
    const run: Run = { header, seq: 0, hash: header, isOpen: true, recent: new Map([[0, header]]) };
    if (link) this.#remember(run, link.seq, link.hash);
    this.#runs.set(line.run, run);
    this.#headers.set(line.run, line);
    this.#runCount++;
    this.#openRuns++;
    this.#saw(header);
    if (this.#runs.size <= MOST_RUNS) return;
    const oldest = this.#runs.keys().next().value!;
    this.#runs.delete(oldest);
    this.#headers.delete(oldest);
    this.#isCut = true; // runs that are no longer known cannot be judged
  }

  #missingBefore({ before }: AuditHeader): string | undefined {
    const link = before && readLink(before);
    if (!link) return this.#isFirst ? undefined : 'the link to the lines above is missing';
    const known = this.#runs.get(before!.run);
    return known ? this.#missingUntil(known, link) : `all lines of run ${before!.run} are missing`;
  }

  #missingUntil(known: Run, { seq, hash }: Omit<ChainLink, 'run'>): string | undefined {
    if (seq > known.seq) return `lines ${known.seq + 1} to ${seq} are missing`;
    const there = known.recent.get(seq);
    return there === undefined || there === hash ? undefined : `line ${seq} was changed`;
  }

  /** Returns false if it is not a line of the trail. */
  #line(line: Record<string, unknown>, text: string, place: Place): boolean {
    const { run: name, seq } = line;
    const parts = unchained(text);
    if (!parts || typeof name !== 'string' || !Number.isSafeInteger(seq) || typeof line.kind !== 'string') return false;
    const run = this.#runs.get(name) ?? this.#headless(name, place);
    const number = seq as number;
    if (number <= run.seq) {
      const there = run.recent.get(number);
      if (there !== undefined && there !== parts.hash) this.#report(place, `Line ${number} of run ${name} was changed`);
      return true; // the same line was written twice
    }
    if (number > run.seq + 1) {
      this.#report(place, `Before this line, lines ${run.seq + 1} to ${number - 1} of run ${name} are missing`);
    } else if (sha256(run.hash + parts.text) !== parts.hash) {
      this.#report(place, `Line ${number} of run ${name}, or the one before it, was changed`);
    }
    this.#remember(run, number, parts.hash);
    this.#lines++;
    this.#saw(parts.hash);
    if (line.kind === 'gap' && typeof line.lines === 'number') this.#missing += line.lines;
    if (line.kind === 'stop' && run.isOpen) {
      run.isOpen = false;
      this.#openRuns--;
    }
    this.#seen(line as unknown as AuditLine, this.#headers.get(name));
    return true;
  }

  #headless(name: string, place: Place): Run {
    this.#report(place, `The header of run ${name} is missing`);
    const run: Run = { header: undefined, seq: 0, hash: '', isOpen: true, recent: new Map() };
    this.#runs.set(name, run);
    this.#runCount++;
    this.#openRuns++;
    return run;
  }

  #remember(run: Run, seq: number, hash: string): void {
    run.seq = seq;
    run.hash = hash;
    run.recent.set(seq, hash);
    if (run.recent.size > MOST_RECENT) run.recent.delete(run.recent.keys().next().value!);
  }

  #saw(hash: string): void {
    this.#last = hash;
    if (hash === this.#expected) this.#found = true;
  }

  #report({ file, line }: Place, problem: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ file, line, problem });
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the caller reports that the line is not part of the trail
  }
}

function readLink(value: unknown): Omit<ChainLink, 'run'> | undefined {
  if (!isObject(value)) return undefined;
  const { seq, hash } = value;
  return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined;
}
