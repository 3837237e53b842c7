// The subjects and keys of a fleet. A subject names its node, so that the permissions of NATS can be given node by node.

/** Letters, digits, `-` and `_`: such a name is one token of a subject and of a key. */
export const fleetName = /^[A-Za-z0-9_-]{1,64}$/;

export interface Subjects {
  /** Requests to one instance. The generation is part of it: a message to an earlier one reaches no process. */
  call(node: string, instance: string): string;
  /** Requests to a node itself: the methods of `node/node-methods.ts`. */
  node(node: string): string;
  /** Those of them that change nothing. */
  look(node: string): string;
  /**
   * Answers to the calls of a node. `run`: `runOf` of the node. `call`: a number from 1 that grows with every call of the run, to
   * whatever instance.
   */
  reply(node: string, run: string, call: number | '*'): string;
  /** The beginning of the subjects of answers to requests, and of changes of tables. `name`: a node, or a program. */
  inbox(name: string): string;
}

export function subjectsOf(fleet: string): Subjects {
  const prefix = `standpipe.${fleet}`;
  return {
    call: (node, instance) => `${prefix}.call.${node}.${instance}`,
    node: (node) => `${prefix}.node.${node}`,
    look: (node) => `${prefix}.look.${node}`,
    reply: (node, run, call) => `${prefix}.reply.${node}.${run}.${call}`,
    inbox: (name) => `${prefix}.inbox.${name.replace(/[^A-Za-z0-9_-]/g, '-')}`,
  };
}

/** One process of a node, which outlives the sessions of its lease. */
export function runOf({ pid, startedAt }: { pid: number; startedAt: string }): string {
  return `${pid}-${Date.parse(startedAt)}`;
}

/** The instance of a claim: `<server>_<slot>_<generation>_<session>`. */
export function instanceOf(claim: { server: string; slot: number; generation: number; session: string }): string {
  return `${keyOfServer(claim.server)}_${claim.slot}_${claim.generation}_${claim.session}`;
}

/** The instance of a server of a node's own config. */
export function ownInstanceOf(server: string, session: string): string {
  return `own_${keyOfServer(server)}_${session}`;
}

export function keyOfSlot(server: string, slot: number): string {
  return `${keyOfServer(server)}.${slot}`;
}

/** Characters. A subject must fit into a line of the protocol of NATS, which has 4,096. */
const LONGEST_KEY = 1_000;

/** Whether a name has a key of its own, as one without half a surrogate pair does, and this fits into a subject. */
export function isAddressable(name: string): boolean {
  return !/\p{Surrogate}/u.test(name) && keyOfServer(name).length <= LONGEST_KEY;
}

/** Any name as one token: bytes that a key cannot have become `=` and two digits. */
export function keyOfServer(name: string): string {
  return Array.from(new TextEncoder().encode(name), (byte) =>
    /[A-Za-z0-9-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).padStart(2, '0')}`,
  ).join('');
}
