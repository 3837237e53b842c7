// The fields of each event kind but `frame`, in the order of a recording: how each is checked, and whether it may contain a secret. Recordings,
// the memory of a store, search and redaction read this table.

import type { FlowDirection, FlowEvent, FlowFact, FrameFact } from './event.ts';

export interface Field<T = unknown> {
  /** Returns undefined if an untrusted value is not valid for this field. Does not validate byte fields. */
  read(value: unknown): T | undefined;
  optional?: true;
  /** Masked before it leaves the process. */
  secret?: true;
  /** Of no fixed size: searched, and counted as memory. */
  isPart?: true;
}

type PlainFact = Exclude<FlowFact, FrameFact>;
type FieldsOf<Fact> = { readonly [Name in Exclude<keyof Fact, 'kind' | 'redacted'>]-?: Field<Fact[Name]> };

/** Readers keep state for each server name and client, so the length of these texts is limited. */
export const LONGEST_NAME = 1000;
/** Limited, because facts about a server are kept as long as the server is. */
const LONGEST_FACT = 4000;
/** Writers produce shorter texts (secrets/mask-http.ts). */
const LONGEST_HTTP_TEXT = 64 * 1024;

const directions: readonly FlowDirection[] = ['toServer', 'fromServer', 'fromClient', 'toClient'];

const text = texts(Number.POSITIVE_INFINITY);
const name = texts(LONGEST_NAME);
const fact = texts(LONGEST_FACT);
const httpText = texts(LONGEST_HTTP_TEXT);
const number: Field<number> = { read: (value) => (typeof value === 'number' ? value : undefined) };
const id: Field<string | number> = { read: (value) => text.read(value) ?? number.read(value), isPart: true };
const bytes: Field<Uint8Array> = { read: () => undefined, isPart: true };

export const eventFields: { readonly [Kind in PlainFact['kind']]: FieldsOf<Extract<PlainFact, { kind: Kind }>> } = {
  fault: {
    direction: oneOf(directions),
    code: { ...oneOf(['FRAME_TOO_LONG', 'FRAME_TRUNCATED', 'FRAME_LENGTH_INVALID']), isPart: true },
    offset: number,
    length: number,
    prefix: bytes,
  },
  stderr: { length: number, payload: bytes },
  spawn: { command: secret(text), pid: number },
  state: { from: text, to: text, reason: optional(secret(text)) },
  signal: { signal: text },
  exit: { exitCode: orNull(number), signal: orNull(text) },
  stop: { rung: text },
  error: { code: text, message: secret(text) },
  note: { text: secret(text) },
  client: {
    state: oneOf(['opened', 'known', 'closed']),
    door: name,
    principal: optional(name),
    // Clients choose their names.
    name: optional(secret(name)),
    version: optional(secret(name)),
    revision: optional(name),
    stateless: { read: (value) => (value === true ? value : undefined), optional: true },
  },
  link: { request: id, wire: name, wireLife: number, direction: oneOf(directions), id },
  remote: {
    state: oneOf(['connected', 'known', 'disconnected']),
    url: secret(fact),
    transport: optional(secret(fact)),
    revision: optional(secret(fact)),
    session: optional(secret(fact)),
    reason: optional(secret(fact)),
  },
  http: {
    state: oneOf(['answered', 'failed', 'ended']),
    exchange: number,
    method: secret(httpText),
    url: secret(httpText),
    requestHeaders: optional(secret(httpText)),
    repeats: optional(number),
    status: optional(number),
    responseHeaders: optional(secret(httpText)),
    waitMs: optional(number),
    body: optional(oneOf(['json', 'stream', 'none', 'other'])),
    end: optional(oneOf(['complete', 'cut', 'aborted'])),
    reason: optional(secret(httpText)),
  },
  hop: {
    id,
    node: secret(name),
    generation: optional(number),
    pid: optional(number),
    receivedMs: number,
    answeredMs: number,
    offsetMs: optional(number),
    uncertaintyMs: optional(number),
  },
};

/** A field of an event, by its name. */
export interface NamedField extends Field {
  name: string;
  isBytes: boolean;
}

const listed = new Map(
  Object.entries(eventFields).map(([kind, fields]) => [
    kind,
    Object.entries<Field>(fields).map(([name, field]): NamedField => ({ ...field, name, isBytes: field === bytes })),
  ]),
);

/** Undefined for an unknown kind, and for `frame`. */
export function fieldsOf(kind: string): readonly NamedField[] | undefined {
  return listed.get(kind);
}

const frameParts = ['payload', 'tail'];
const partNames = new Map(
  [...listed].map(([kind, fields]) => [kind, fields.filter(({ isPart }) => isPart).map(({ name }) => name)]),
).set('frame', frameParts);

/** The parts of an event without a fixed size: pipe bytes and texts. */
export function partsOf(event: FlowFact): (Uint8Array | string)[] {
  const values = partNames.get(event.kind)!.map((part) => (event as unknown as Record<string, unknown>)[part] ?? '');
  return values.map((value) => (value instanceof Uint8Array ? value : String(value)));
}

/** Bytes and characters of the parts. Does not allocate: there is one link for each client call. */
export function lengthOfParts(event: FlowEvent): number {
  let length = 0;
  for (const part of partNames.get(event.kind)!) {
    const value = (event as unknown as Record<string, unknown>)[part];
    if (typeof value === 'string' || value instanceof Uint8Array) length += value.length;
  }
  return length;
}

function texts(longest: number): Field<string> {
  return { read: (value) => (typeof value === 'string' && value.length <= longest ? value : undefined), isPart: true };
}

function oneOf<const T extends string>(values: readonly T[]): Field<T> {
  return { read: (value) => values.find((each) => each === value) };
}

function optional<T>(field: Field<T>): Field<T> {
  return { ...field, optional: true };
}

function secret<T>(field: Field<T>): Field<T> {
  return { ...field, secret: true };
}

function orNull<T>(field: Field<T>): Field<T | null> {
  return { ...field, read: (value) => field.read(value) ?? null };
}
