// The subjects and keys of a fleet. A subject names its node, so that NATS permissions can be given per node.

import { randomBytes } from 'node:crypto';

/** Letters, digits, `-` and `_`: such a name is one token of a subject and of a key. */
export const fleetName = /^[A-Za-z0-9_-]{1,64}$/;

export type Subjects = ReturnType<typeof subjectsOf>;

export function subjectsOf(fleet: string) {
  const prefix = `standpipe.${fleet}`;
  return {
    /** Requests to one instance. The generation is part of it: a message to an earlier generation reaches no process. */
    call: (node: string, instance: string) => `${prefix}.call.${node}.${instance}`,
    /** Requests to a node itself: the methods of `NodeRequests`. */
    node: (node: string) => `${prefix}.node.${node}`,
    /** Requests to a node that change nothing. */
    look: (node: string) => `${prefix}.look.${node}`,
    /** Answers to one call. `run`: `secretRun` of the node. `call`: a number from 1 that increases with every call of the run. */
    reply: (node: string, run: string, call: number | '*') => `${prefix}.reply.${node}.${run}.${call}`,
    replies: (node: string) => `${prefix}.reply.${node}.*.*`,
    /** Prefix of the subjects of answers to requests, and of changes of tables. `name`: a node, or a program. */
    inbox: (name: string) => `${prefix}.inbox.${name.replace(/[^A-Za-z0-9_-]/g, '-')}`,
  };
}

/** Identifies one process of a node, also after a session of its lease has ended. The directory has both parts of the identifier. */
export function runOf({ pid, startedAt }: { pid: number; startedAt: string }): string {
  return `${pid}-${Date.parse(startedAt)}`;
}

/**
 * A run with 128 random bits, known to this process and the nodes it calls: no other can answer, cancel or inquire about its calls.
 */
export function secretRun(run: string): string {
  return `${run}-${randomBytes(16).toString('hex')}`;
}

/** Returns true if `secret` is a `secretRun` of the run, or the run itself, as in earlier versions. */
export function isSecretOf(secret: string, run: string): boolean {
  return secret === run || secret.startsWith(`${run}-`);
}

/** `<server>_<slot>_<generation>_<session>` */
export function instanceOf(claim: { server: string; slot: number; generation: number; session: string }): string {
  return `${keyOfServer(claim.server)}_${claim.slot}_${claim.generation}_${claim.session}`;
}

/** `own_<server>_<session>`: a server of the node's own config. */
export function ownInstanceOf(server: string, session: string): string {
  return `own_${keyOfServer(server)}_${session}`;
}

/** Returns false if no node can ever have run this instance for the server. Keys contain no `_`. */
export function mayBeInstanceOf(server: string, id: string): boolean {
  const [first, second, third, ...session] = id.split('_');
  const at = server.lastIndexOf('@');
  if (at > 0 && first === 'own' && second === keyOfServer(server.slice(0, at))) return !!third;
  return first === keyOfServer(server) && /^\d+$/.test(second ?? '') && /^\d+$/.test(third ?? '') && session.length > 0;
}

export function keyOfSlot(server: string, slot: number): string {
  return `${keyOfServer(server)}.${slot}`;
}

/** Unit: characters. A subject must fit into a line of the NATS protocol, which has 4,096. */
const LONGEST_KEY = 1_000;

/** Returns whether a name has a unique key that fits into a subject. A name with an unpaired surrogate does not. */
export function isAddressable(name: string): boolean {
  return !/\p{Surrogate}/u.test(name) && keyOfServer(name).length <= LONGEST_KEY;
}

/** Encodes any name as one token: bytes that a key cannot contain become `=` and two hexadecimal digits. */
export function keyOfServer(name: string): string {
  return Array.from(new TextEncoder().encode(name), (byte) =>
    /[A-Za-z0-9-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).padStart(2, '0')}`,
  ).join('');
}
