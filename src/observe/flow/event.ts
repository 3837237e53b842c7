// The record of everything that servers, their pipes and processes, and the clients of a host did, in order, on one clock. Events are
// plain facts. The meaning of a frame (a request, stray output, half a message) is determined when it is displayed
// (analysis/describe-frame.ts), so that capture does not slow the traffic down.

/** The direction of traffic between a host and a server. */
export type ServerDirection = 'toServer' | 'fromServer';
/** The direction of traffic, also between a client and the host. */
export type FlowDirection = ServerDirection | 'fromClient' | 'toClient';

export interface FlowStamp {
  /** Counts from 1 within one store without gaps. A gap means that events were dropped. */
  readonly seq: number;
  /** Milliseconds since the store began (`FlowStore.startedAt`), by a monotonic clock. */
  readonly atMs: number;
  /** The name of the server. For an event of a client, the name of the client: `client 3`. */
  readonly server: string;
  /** Number of the process run or connection of this server, from 1. For a stateless client, the number of the request. */
  readonly life: number;
}

/** One frame as it was on the pipe, without its delimiter. */
export interface FrameFact {
  readonly kind: 'frame';
  readonly direction: FlowDirection;
  /** The raw bytes: only the first bytes if `cut`, and with secrets replaced if `redacted`. */
  readonly payload: Uint8Array;
  /** Original number of bytes on the pipe. */
  readonly length: number;
  /** Offset of the first byte in the stream. Absent if messages were observed instead of the stream. */
  readonly offset?: number | undefined;
  /** True if the frame is too long to store: `payload` is its beginning and `tail` its end. */
  readonly cut?: true | undefined;
  readonly tail?: Uint8Array | undefined;
  readonly redacted?: true | undefined;
  /** Set for a message over HTTP. */
  readonly http?: HttpPlace | undefined;
}

export interface HttpPlace {
  /** Number of the HTTP request from this client or to this server that carried the message or is answered with it, from 1. */
  readonly exchange: number;
  /** Status of the response. */
  readonly status?: number | undefined;
}

interface Field<T = unknown> {
  /** Returns undefined if an untrusted value is not valid for this field. Does not validate byte fields. */
  read(value: unknown): T | undefined;
  optional?: true;
  /** The value is masked before it leaves the process. */
  secret?: true;
  /** The value has no fixed size: it is searched, and counted as memory. */
  isPart?: true;
}

/** Readers keep state for each server name and client, so the length of these texts is limited. */
export const LONGEST_NAME = 1000;

const text = texts(Number.POSITIVE_INFINITY);
const name = texts(LONGEST_NAME);
/** Texts are limited, because facts about a server are kept as long as the server is. */
const fact = texts(4000);
/** Limit for HTTP texts. Writers produce shorter ones (secrets/mask-http.ts). */
const httpText = texts(64 * 1024);
const number: Field<number> = { read: (value) => (Number.isFinite(value) ? (value as number) : undefined) };
const integer: Field<number> = { read: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined) };
const id: Field<string | number> = { read: (value) => text.read(value) ?? number.read(value), isPart: true };
const bytes: Field<Uint8Array> = { read: () => undefined, isPart: true };
const direction: Field<FlowDirection> = oneOf(['toServer', 'fromServer', 'fromClient', 'toClient']);

/** The fields of each event kind but `frame`, in the order of a recording. */
export const eventFields = {
  /** Bytes that did not form a frame. */
  fault: {
    direction,
    code: part(oneOf(['FRAME_TOO_LONG', 'FRAME_TRUNCATED', 'FRAME_LENGTH_INVALID'])),
    offset: number,
    length: number,
    prefix: bytes,
  },
  /** `length`: original number of bytes written. */
  stderr: { length: number, payload: bytes },
  spawn: { command: secret(text), pid: number },
  state: { from: text, to: text, reason: optional(secret(text)) },
  /** A signal that was sent or forwarded to the server. */
  signal: { signal: text },
  exit: { exitCode: orNull(integer), signal: orNull(text) },
  /** All processes of the server have exited. `rung`: the stop rung that was needed. */
  stop: { rung: text },
  error: { code: text, message: secret(text) },
  note: { text: secret(text) },
  /** A client of a host has connected, described itself or disconnected. Each event has all known facts. */
  client: {
    state: oneOf(['opened', 'known', 'closed']),
    /** The gateway of the client: `socket`, `http`, `http+sse`. */
    door: name,
    /** The verified principal, if any. */
    principal: optional(name),
    /** The name that the client gives itself. */
    name: optional(secret(name)),
    version: optional(secret(name)),
    revision: optional(name),
    /** Each request is independent (2026-07-28 over HTTP). The client stands for all requests with the same name and principal. */
    stateless: optional(isTrue()),
  },
  /**
   * Links a request on another wire to a request from this client. The other request was sent on behalf of the client's
   * request, or is a question during it.
   */
  link: {
    /** The id of the client's request. */
    request: id,
    /** The wire of the other request: a server and its process run, or the client itself. */
    wire: name,
    wireLife: number,
    direction,
    id,
  },
  /** A remote server was connected, described or disconnected. Each event has all known facts. */
  remote: {
    state: oneOf(['connected', 'known', 'disconnected']),
    /** URL without credentials. */
    url: secret(fact),
    /** `http`, or `http+sse` of 2024-11-05. */
    transport: optional(secret(fact)),
    revision: optional(secret(fact)),
    /** Shortened session id. */
    session: optional(secret(fact)),
    /** Why the connection was lost. Absent if this side closed it. */
    reason: optional(secret(fact)),
  },
  /**
   * One HTTP request to a server: its response began (`answered`), there was none (`failed`), or the response body is over (`ended`; for a
   * non-stream body only if it was cut). URL and headers are masked at capture.
   */
  http: {
    state: oneOf(['answered', 'failed', 'ended']),
    /** Number of the request within this process run, from 1. Its frames carry the same number. */
    exchange: number,
    method: secret(httpText),
    url: secret(httpText),
    /** One line per header. Absent in `ended`, like all members up to `body`. */
    requestHeaders: optional(secret(httpText)),
    /** The request with the same message that this one repeats after a redirect or with another credential. */
    repeats: optional(number),
    status: optional(number),
    responseHeaders: optional(secret(httpText)),
    /** Time from the request to the response headers. */
    waitMs: optional(number),
    body: optional(oneOf(['json', 'stream', 'none', 'other'])),
    /** Set for `failed` and `ended`. */
    end: optional(oneOf(['complete', 'cut', 'aborted'])),
    reason: optional(secret(httpText)),
  },
  /**
   * Another node answered a request to a server of a fleet. This event precedes the answer. The times are those of the
   * other node's wall clock, of which only differences are exact.
   */
  hop: {
    /** Id of the request. */
    id,
    node: secret(name),
    generation: optional(number),
    /** Pid of the server process on that node. */
    pid: optional(number),
    receivedMs: number,
    answeredMs: number,
    /** Measured offset of that node's clock ahead of ours, and its uncertainty. */
    offsetMs: optional(number),
    uncertaintyMs: optional(number),
  },
};

type EventFields = typeof eventFields;
type Value<F> = F extends Field<infer T> ? T : never;
type FactOf<Kind extends keyof EventFields, Fields = EventFields[Kind]> = { readonly kind: Kind } & {
  readonly [Name in keyof Fields as Fields[Name] extends { optional: true } ? never : Name]: Value<Fields[Name]>;
} & {
  readonly [Name in keyof Fields as Fields[Name] extends { optional: true } ? Name : never]?:
    | Value<Fields[Name]>
    | undefined;
} & (Kind extends 'fault' | 'stderr' ? { readonly redacted?: true | undefined } : unknown);

export type FaultFact = FactOf<'fault'>;
export type StderrFact = FactOf<'stderr'>;
export type NoteFact = FactOf<'note'>;
export type ClientFact = FactOf<'client'>;
export type LinkFact = FactOf<'link'>;
export type RemoteFact = FactOf<'remote'>;
export type HttpFact = FactOf<'http'>;
export type HopFact = FactOf<'hop'>;
export type ObservedHop = Omit<HopFact, 'kind'>;

export type FlowFact = FrameFact | { [Kind in keyof EventFields]: FactOf<Kind> }[keyof EventFields];
export type FlowKind = FlowFact['kind'];
export type FlowEvent = FlowStamp & FlowFact;
export type FrameEvent = FlowStamp & FrameFact;

/** Returns true for an event of a client rather than a server. */
export function isOfClient(event: FlowFact): boolean {
  if (event.kind !== 'frame' && event.kind !== 'fault') return event.kind === 'client' || event.kind === 'link';
  return event.direction === 'fromClient' || event.direction === 'toClient';
}

interface NamedField extends Field {
  name: string;
  isBytes: boolean;
}

const listed = new Map(
  Object.entries(eventFields).map(([kind, fields]) => [
    kind,
    Object.entries<Field>(fields).map(([name, field]): NamedField => ({ ...field, name, isBytes: field === bytes })),
  ]),
);

/** Returns undefined for an unknown kind, and for `frame`. */
export function fieldsOf(kind: string): readonly NamedField[] | undefined {
  return listed.get(kind);
}

const partNames = new Map(
  [...listed].map(([kind, fields]) => [kind, fields.filter(({ isPart }) => isPart).map(({ name }) => name)]),
).set('frame', ['payload', 'tail']);

/** The parts of an event without a fixed size: pipe bytes and texts. */
export function partsOf(event: FlowFact): (Uint8Array | string)[] {
  const values = partNames.get(event.kind)!.map((part) => (event as unknown as Record<string, unknown>)[part] ?? '');
  return values.map((value) => (value instanceof Uint8Array ? value : String(value)));
}

/** Counts the bytes and characters of the parts. Does not allocate: there is one link for each client call. */
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

function isTrue(): Field<true> {
  return { read: (value) => (value === true ? value : undefined) };
}

function optional<T>(field: Field<T>): Field<T> & { optional: true } {
  return { ...field, optional: true };
}

function secret<T>(field: Field<T>): Field<T> {
  return { ...field, secret: true };
}

function part<T>(field: Field<T>): Field<T> {
  return { ...field, isPart: true };
}

function orNull<T>(field: Field<T>): Field<T | null> {
  return { ...field, read: (value) => field.read(value) ?? null };
}
