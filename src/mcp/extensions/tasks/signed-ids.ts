// Ids of tasks that a server answers for itself, as its clients get them. The server does not know principals: for it,
// any client with an id may use the task. Therefore a host adds a signature of the id and its principal. To another
// principal, the task does not exist.
//
// Nothing is kept for a task. The key is kept for a server at a URL, whose tasks outlive the host. All other ids are
// those of one process run, which ends with the host.

import { isObject } from '../../../base/json-object.ts';
import { randomText } from '../../adapter/suspended-calls.ts';
import { handle, readHandle } from '../../handles.ts';
import type { ClientFacts, Result } from '../../service.ts';
import type { HostedServer, KeptRecords } from '../extension.ts';

/** Id of the record with the key. All other records of the server are tasks. */
const KEY = 'key-of-task-ids';
/** 128 bits as hexadecimal digits. */
const SIGNATURE_CHARS = 32;

const text = new TextEncoder();

export class SignedIds {
  readonly #server: HostedServer;
  #key: Awaited<ReturnType<typeof crypto.subtle.importKey>> | undefined;
  #loading: Promise<unknown> | undefined;

  constructor(server: HostedServer) {
    this.#server = server;
  }

  get isReady(): boolean {
    return this.#key !== undefined;
  }

  /** Rejects if the kept key cannot be read at the moment. */
  async ready(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /** The id as this client gets it. */
  async sign(id: string, client: ClientFacts): Promise<string> {
    return handle(await this.#signature(id, client), id);
  }

  /** The id that the server assigned. Undefined if it did not assign it for this principal. */
  async verify(given: unknown, client: ClientFacts): Promise<string | undefined> {
    const read = readHandle(given);
    if (read?.owner.length !== SIGNATURE_CHARS) return undefined;
    return isEqual(read.owner, await this.#signature(read.id, client)) ? read.id : undefined;
  }

  /** The result of a call, which may be a task. */
  async signResult(result: Result, client: ClientFacts): Promise<Result> {
    const { taskId } = result;
    return typeof taskId === 'string' ? { ...result, taskId: await this.sign(taskId, client) } : result;
  }

  /** The URL is part of the signature, because another server may have the same ids. */
  async #signature(id: string, { identity: { principal } }: ClientFacts): Promise<string> {
    if (!this.#key) await this.ready();
    const signed = text.encode(JSON.stringify([this.#url ?? null, principal ?? null, id]));
    const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', this.#key!, signed));
    return Array.from(bytes.subarray(0, SIGNATURE_CHARS / 2), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  get #url(): string | undefined {
    return (this.#server.config as { url?: string }).url;
  }

  async #load(): Promise<void> {
    const { records } = this.#server;
    const key = records && this.#url !== undefined ? await keptKey(records) : randomText(32);
    const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const;
    this.#key = await crypto.subtle.importKey('raw', text.encode(key), algorithm, false, ['sign']);
  }
}

async function keptKey(records: KeptRecords): Promise<string> {
  const known = await readKey(records);
  if (known !== undefined) return known;
  const key = randomText(32);
  try {
    await records.put(KEY, { value: { key }, untilMs: Number.MAX_SAFE_INTEGER, isFinal: true });
    return key;
  } catch (error) {
    const other = await readKey(records); // another host may have been first
    if (other === undefined) throw error;
    return other;
  }
}

async function readKey(records: KeptRecords): Promise<string | undefined> {
  const value = (await records.get(KEY))?.value;
  return isObject(value) && typeof value.key === 'string' ? value.key : undefined;
}

/** Takes the same time wherever the texts differ. Both have the same length. */
function isEqual(one: string, other: string): boolean {
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
