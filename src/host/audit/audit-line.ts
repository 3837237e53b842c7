// The lines of an audit trail. Each line of a run ends with a hash of the line before it and of its own text, so that a line which is
// changed, removed or inserted later breaks the chain. The header of a run is the start of its chain, and names the last line of the
// run before it.

import { createHash } from 'node:crypto';

export const AUDIT_VERSION = 1;

/** A reference to another line of the trail. */
export interface ChainLink {
  readonly run: string;
  /** Number of the line within its run; 0 for the header. */
  readonly seq: number;
  readonly hash: string;
}

export interface AuditHeader {
  readonly standpipe: 'audit';
  readonly version: number;
  readonly run: string;
  readonly startedAt: string;
  readonly pid: number;
  readonly node?: string | undefined;
  /** The last line in the file before this run. */
  readonly before?: ChainLink | undefined;
}

interface Numbered {
  readonly run: string;
  /** Number of the line within its run, from 1. */
  readonly seq: number;
  /** Date and time, ISO 8601. */
  readonly at: string;
}

/** Written before the request is passed to the server. */
export interface AuditCall extends Numbered {
  readonly kind: 'call';
  /** The principal that the gateway verified; `user:NAME` for clients of the socket. Absent for requests of the host itself. */
  readonly principal?: string | undefined;
  readonly client?: string | undefined;
  readonly server: string;
  readonly method: string;
  /** Name of the tool or prompt, URI, or id of the task. */
  readonly target?: string | undefined;
  /** SHA-256 of the arguments as canonical JSON (RFC 8785). */
  readonly digest?: string | undefined;
  /** The arguments as JSON text, with secrets hidden, if the trail keeps arguments. */
  readonly arguments?: string | undefined;
}

export interface AuditEnd extends Numbered {
  readonly kind: 'end';
  /** `seq` of the call. */
  readonly call: number;
  /** `ok`, `tool_error`, `cancelled`, or the code of the error. */
  readonly outcome: string;
  readonly ms: number;
}

/** A request that was refused before it reached a server. */
export interface AuditRefusal extends Omit<AuditCall, 'kind'> {
  readonly kind: 'refused';
  readonly outcome: string;
}

/** Calls and ends that were not recorded, because the file could not be written. */
export interface AuditGap extends Numbered {
  readonly kind: 'gap';
  readonly lines: number;
}

/** The host has ended normally. */
export interface AuditStop extends Numbered {
  readonly kind: 'stop';
}

export type AuditLine = AuditCall | AuditEnd | AuditRefusal | AuditGap | AuditStop;

const HASH_CHARS = 43;
const hashed = new RegExp(`,"hash":"([A-Za-z0-9_-]{${HASH_CHARS}})"\\}$`);

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Adds the hash as the last member of the JSON object. */
export function chained(before: string, text: string): { line: string; hash: string } {
  const hash = sha256(before + text);
  return { line: `${text.slice(0, -1)},"hash":"${hash}"}`, hash };
}

/** Separates the hash from the text that it was computed from. Undefined if the line has none. */
export function unchained(line: string): { text: string; hash: string } | undefined {
  const found = hashed.exec(line);
  return found ? { text: `${line.slice(0, found.index)}}`, hash: found[1]! } : undefined;
}

/**
 * A run repeats its header in each file that it continues in. Such a header names the last line that was written before it; the hash
 * of the header is that of its text without this member.
 */
export function headerText(header: AuditHeader, after?: Omit<ChainLink, 'run'>): string {
  const text = JSON.stringify(header);
  return after === undefined || after.seq === 0 ? text : `${text.slice(0, -1)},"after":${JSON.stringify(after)}}`;
}
