// A recording for tests: the first run uses the real server and records it, later runs use the recording. Works with any test runner.

import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { RpcError, toError, UsageError } from '../../base/errors.ts';
import { maskValues } from '../../base/secrets/mask-values.ts';
import { redactor } from '../../base/secrets/redact.ts';
import type { AddressOptions } from '../../connect/connect.ts';
import type { Client } from '../../mcp/client/client.ts';
import type { ClientOptions } from '../../mcp/client/options.ts';
import type { Caller, ClientFacts, ClientIdentity, Params, Result, Service, Watcher } from '../../mcp/service.ts';
import type { StdioClientOptions } from '../../wire/transport/stdio-client.ts';
import { FlowSource } from '../flow/source.ts';
import { FlowStore } from '../flow/store.ts';
import { recordingFiles } from '../record/reader.ts';
import { type Recorder, record } from '../record/recorder.ts';
import { type ReplayOptions, ReplayService } from './replay-service.ts';

/**
 * `all`: every request goes to the server, and a new file replaces the old one. `missing`: requests that the file does not have go to the
 * server
 * and are added. `none`: the server is never started, and such requests fail.
 */
export type CassetteMode = 'all' | 'missing' | 'none';

const modes: readonly CassetteMode[] = ['all', 'missing', 'none'];

export interface CassetteOptions extends Pick<ReplayOptions, 'strict' | 'pace' | 'faults' | 'onStderr' | 'clock'> {
  /** Default: the variable `STANDPIPE_RECORD`; without it `none` if the variable `CI` is set, and otherwise `missing`. */
  mode?: CassetteMode | undefined;
  /** Options of the connection to the server. By default it declares that questions can be answered. */
  client?: ClientOptions | undefined;
}

/** A command, or the address of a remote server. */
export type CassetteTarget = StdioClientOptions | AddressOptions;

/** Returns at once. A server is started with the first request that needs it. */
export function cassette(file: string, target: CassetteTarget, options: CassetteOptions = {}): Cassette {
  return new Cassette(file, target, options);
}

/** All recordings in one file belong to one server, even if its command changes. */
const SERVER = 'server';
/** A longer message would not fit into a line that readers accept. */
const KEEP_FRAME_BYTES = 8 * 1024 * 1024;
const ANSWERS = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

export class Cassette implements Service {
  readonly mode: CassetteMode;
  readonly #file: string;
  readonly #target: CassetteTarget;
  readonly #options: CassetteOptions;
  /** The replay of the recording; absent if there is no recording. */
  readonly #replay: ReplayService | undefined;
  readonly #watchers = new Map<Watcher, Promise<() => unknown>[]>();
  #live: Promise<Client> | undefined;
  #recorder: Recorder | undefined;

  /** @internal */
  constructor(file: string, target: CassetteTarget, options: CassetteOptions) {
    const { mode = modeOf(process.env), client: _, ...replaying } = options;
    this.mode = mode;
    this.#file = file;
    this.#target = target;
    this.#options = options;
    if (mode === 'all' || !existsSync(file)) return;
    const otherwise = mode === 'missing' ? this.#ask : this.#refuse;
    this.#replay = new ReplayService(file, { ...replaying, server: SERVER, otherwise });
  }

  async describe(client?: ClientFacts) {
    return this.#replay ? this.#replay.describe(client) : (await this.#server()).service.describe(client);
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    return this.#replay ? this.#replay.request(method, params, caller) : this.#ask(method, params, caller);
  }

  async notify(method: string, params: Params | undefined, client: ClientFacts): Promise<void> {
    if (this.#live) await (await this.#live).service.notify(method, params, client);
  }

  /** The server is watched too, as soon as it is used. */
  async watch(watcher: Watcher): Promise<() => Promise<void>> {
    const stops = this.#replay ? [this.#replay.watch(watcher)] : [];
    this.#watchers.set(watcher, stops);
    if (!this.#replay || this.#live) stops.push((await this.#server()).service.watch(watcher));
    await Promise.all(stops);
    return async () => {
      this.#watchers.delete(watcher);
      for (const stop of await Promise.all(stops)) await stop();
    };
  }

  gone(client: ClientIdentity): void {
    void this.#live?.then(
      ({ service }) => service.gone?.(client),
      () => undefined, // its requests have failed
    );
  }

  /** Stops the server and completes the file. */
  async close(): Promise<void> {
    const live = await this.#live?.catch(() => undefined); // its requests have failed
    await live?.close();
    await this.#recorder?.close();
    await this.#replay?.close();
  }

  /** Called at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #ask: Service['request'] = async (method, params, caller) => {
    const { service } = await this.#server();
    return service.request(method, params, caller);
  };

  readonly #refuse: Service['request'] = async (method, params) => {
    const { rpcCode, message } = await this.#replay!.refusal(method, params);
    throw new RpcError(rpcCode, `${message}. STANDPIPE_RECORD=missing records it`);
  };

  #server(): Promise<Client> {
    this.#live ??= this.#open();
    return this.#live;
  }

  async #open(): Promise<Client> {
    if (this.mode === 'none') {
      throw new UsageError('RECORDING_UNUSABLE', `There is no recording ${this.#file}`, {
        hint: 'Run the tests with STANDPIPE_RECORD=missing, and keep the file with them.',
      });
    }
    const { connect } = await import('../../connect/connect.ts');
    const store = new FlowStore({ maxBytes: KEEP_FRAME_BYTES, keepFrameBytes: KEEP_FRAME_BYTES });
    await this.#record(store);
    const observer = new CassetteSource(store, SERVER);
    const options = { capabilities: ANSWERS, ...this.#options.client };
    const target = { ...this.#target, observer };
    const client = await ('command' in target ? connect(target, options) : connect(target, options));
    for (const [watcher, stops] of this.#watchers) {
      if (this.#replay) stops.push(client.service.watch(watcher));
    }
    return client;
  }

  async #record(store: FlowStore): Promise<void> {
    const file = this.#file;
    if (this.mode === 'all') await removeRecording(file);
    // A checkout makes files readable for others, and a recorder refuses those.
    await chmod(file, 0o600).catch(ignoreMissing);
    let failure: Error | undefined;
    this.#recorder = record(store, {
      file,
      about: { kind: 'cassette' },
      redact: redactor({ mask: maskValues('env' in this.#target ? this.#target.env : {}) }),
      maxFileBytes: Number.MAX_SAFE_INTEGER,
      onFailure: (error) => {
        failure = error;
      },
    });
    if (!(await this.#recorder.open())) throw failure!;
  }
}

/** Leaves out the command, which differs between machines. */
class CassetteSource extends FlowSource {
  override spawned(pid: number, command: string): void {
    super.spawned(pid, basename(command.split(' ', 1)[0]!));
  }
}

function modeOf({ STANDPIPE_RECORD: wanted, CI }: NodeJS.ProcessEnv): CassetteMode {
  if (wanted === undefined || wanted === '')
    return CI === undefined || CI === '' || CI === 'false' ? 'missing' : 'none';
  const mode = modes.find((each) => each === wanted);
  if (mode) return mode;
  throw new UsageError('INVALID_OPTION', `STANDPIPE_RECORD cannot be "${wanted}"`, {
    hint: `Use ${modes.join(', ')}.`,
  });
}

async function removeRecording(file: string): Promise<void> {
  const files = await recordingFiles(file).catch((error: unknown) => ignoreMissing(toError(error)));
  for (const each of files ?? []) await rm(each, { force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
