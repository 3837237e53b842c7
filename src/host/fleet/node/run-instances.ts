// Runs the claims of a node as servers of its host, and serves each at the node's endpoint. A slot of a server is the host's server
// `<server>#<slot>`; its processes get the node and the generation of the claim as variables.

import { readFileSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { within } from '../../../base/wait.ts';
import { expandForm, readForm } from '../../../config/config-file.ts';
import { resolveInputsSync } from '../../../config/expand/variables.ts';
import { sameSettings } from '../../../config/files/diff-configs.ts';
import { decodeFile } from '../../../config/files/disk.ts';
import type { ConfigPlace } from '../../../config/files/places.ts';
import { parseDocument } from '../../../config/read/json-document.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { type SystemContext, systemContext } from '../../../config/system-context.ts';
import type { Service } from '../../../mcp/service.ts';
import type { Host } from '../../host.ts';
import type { StateChange } from '../../supervision/server-state.ts';
import type { ClaimRecord, ServerRecord } from '../cluster-network.ts';
import { instanceOf } from '../subjects.ts';
import type { HostTable } from './host-table.ts';
import type { NodeEndpoint, OpenInstance, ServedInstance } from './node-endpoint.ts';

export interface InstanceRunner {
  /**
   * Runs and serves the process with this record from now on. If the slot is running and the record has changed, the previous process
   * drains and exits first; if `end` follows in the meantime, nothing is run. Does not wait until the server is ready. Resolves to true if
   * the previous process continues, because its entry is unchanged. Rejects if this node cannot run the server at all.
   */
  run(claim: ClaimRecord, record: ServerRecord): Promise<boolean | undefined>;
  /** Resolves when a process that replaced another is ready, has failed, or has exceeded its limit. Must not reject. */
  settled?(claim: ClaimRecord): Promise<void>;
  /** Why this node cannot run the server, as far as that is known before the claim. */
  whyNot?(record: ServerRecord): string | undefined;
  /** Resolves when the process tree has exited; otherwise the slot is not given back. `now` may follow and ends a drain. */
  end(claim: ClaimRecord, reason: string, how: 'drain' | 'now'): Promise<void>;
}

interface Running {
  claim: ClaimRecord;
  isStateless: boolean;
  config: ServerConfig;
  open: OpenInstance;
  settled: Promise<unknown> | undefined;
  /** True if the server has failed permanently and was not started again since. */
  hasFailed: boolean;
  isEnding: boolean;
  ended: Promise<void> | undefined;
}

interface RunInstancesOptions {
  mayAct: (session: string) => boolean;
  drainMs: number;
  clock: Clock;
  note: (text: string) => void;
}

/** Limit for a renewed server to become ready; the next replica waits for it. */
const SETTLED_MS = 30_000;

export class RunInstances implements InstanceRunner {
  /** Called with a reason when a server has failed permanently, and without one when a command has started it again. */
  onFailed: ((claim: ClaimRecord, reason: string | undefined) => void) | undefined;
  readonly #host: Host;
  readonly #table: HostTable;
  readonly #endpoint: NodeEndpoint;
  readonly #options: RunInstancesOptions;
  readonly #running = new Map<string, Running>();

  constructor(host: Host, table: HostTable, endpoint: NodeEndpoint, options: RunInstancesOptions) {
    this.#host = host;
    this.#table = table;
    this.#endpoint = endpoint;
    this.#options = options;
    host.stateListeners.add(this.#stateChanged);
  }

  close(): void {
    this.#host.stateListeners.delete(this.#stateChanged);
  }

  /** Ignores remote servers, because moving them to another node does not help, and processes of single clients. */
  readonly #stateChanged = ({ server, to, reason, owner }: StateChange): void => {
    const running = this.#running.get(server);
    if (!running || running.isEnding || owner !== undefined || running.config.command === undefined) return;
    if (to === 'failed') this.onFailed?.(running.claim, reason);
    else if (to === 'starting' && running.hasFailed) this.onFailed?.(running.claim, undefined);
    else return;
    running.hasFailed = to === 'failed';
  };

  whyNot(record: ServerRecord): string | undefined {
    try {
      configOnNode(record);
      return undefined;
    } catch (error) {
      return toError(error).message;
    }
  }

  async run(claim: ClaimRecord, record: ServerRecord): Promise<boolean> {
    const name = nameOf(claim);
    const config = instanceConfig(claim, record);
    const { stateless } = record.place;
    const before = this.#running.get(name);
    if (before) {
      const isSame = before.claim.generation === claim.generation && before.isStateless === stateless;
      if (isSame && sameSettings(before.config, config)) return true;
      await this.end(before.claim, 'its entry has changed', 'drain');
      if (!this.#options.mayAct(claim.session)) return false; // the lease was lost in the meantime
    }
    this.#table.add(config);
    const open = this.#endpoint.open(this.#served(claim, stateless, this.#host.service(name)));
    // A rejection is ignored: the state of the server shows why it is not ready.
    const started = before && this.#host.startServer(name).catch(() => undefined);
    const settled = started && within(this.#options.clock, SETTLED_MS, started);
    const state = { settled, hasFailed: false, isEnding: false, ended: undefined };
    this.#running.set(name, { claim, isStateless: stateless, config, open, ...state });
    this.#options.note(`${name} was placed here (generation ${claim.generation})`);
    return false;
  }

  /** The claim of the instance that runs as the server of this name. */
  claimOf(name: string): ClaimRecord | undefined {
    return this.#running.get(name)?.claim;
  }

  async settled(claim: ClaimRecord): Promise<void> {
    await this.#running.get(nameOf(claim))?.settled;
  }

  async end(claim: ClaimRecord, reason: string, how: 'drain' | 'now'): Promise<void> {
    const name = nameOf(claim);
    const running = this.#running.get(name);
    if (running?.claim.generation !== claim.generation) return;
    running.isEnding = true;
    if (how === 'drain' && !running.ended) await running.open.drain(this.#options.drainMs);
    running.ended ??= this.#stop(name, running);
    await running.ended;
    this.#options.note(`${name} has ended here (generation ${claim.generation}): ${reason}`);
  }

  async #stop(name: string, running: Running): Promise<void> {
    await Promise.all([running.open.close(), this.#table.remove(name)]);
    if (this.#running.get(name) === running) this.#running.delete(name);
  }

  #served(claim: ClaimRecord, stateless: boolean, service: Service): ServedInstance {
    const { server, session, generation } = claim;
    const { mayAct } = this.#options;
    // A second process of a stateless server does no harm.
    return { id: instanceOf(claim), server, service, generation, mayAct: () => stateless || mayAct(session) };
  }
}

function nameOf({ server, slot }: Pick<ClaimRecord, 'server' | 'slot'>): string {
  return `${server}#${slot}`;
}

/** The server of the fleet that an instance of this name runs. */
export function serverOf(name: string): string {
  return name.slice(0, name.lastIndexOf('#'));
}

function instanceConfig(claim: ClaimRecord, record: ServerRecord): ServerConfig {
  const config = configOnNode(record);
  const shared = { name: nameOf(claim), unlisted: true, enabled: true, autoStart: true, lock: record.lock };
  if (config.command === undefined) return { ...config, ...shared };
  const env = { ...config.env, ...fencingEnvironment(claim) };
  if (record.place.stateless) return { ...config, ...shared, env, lease: undefined };
  const share = config.share.by === 'all' ? { ...config.share, maxProcesses: 1 } : config.share;
  return { ...config, ...shared, env, share, lease: claim.session };
}

/** Storage can compare generations and refuse an earlier owner: a lease cannot stop a write that is already in progress. */
function fencingEnvironment({ node, generation }: ClaimRecord): Record<string, string> {
  return { STANDPIPE_NODE: node, STANDPIPE_GENERATION: String(generation) };
}

export const FLEET_CONFIG = 'the config of the fleet';

/**
 * A fleet server as this node runs it: variables are those of this node, and relative paths start at its folder. Throws with the reason
 * if the server cannot run here: for example an unset variable or a missing file.
 */
export function configOnNode({ name, entry }: ServerRecord, context: SystemContext = systemContext()): ServerConfig {
  const place: ConfigPlace = { file: FLEET_CONFIG, origin: 'named', folder: context.cwd };
  const document = parseDocument(JSON.stringify({ mcpServers: { [name]: entry } }), FLEET_CONFIG);
  const form = readForm(document, place, context.platform);
  const inputs = resolveInputsSync(form.inputIds, [], context);
  const sources = { ...context, folder: context.cwd, definitions: [], inputs };
  const { servers, problems } = expandForm(form, place, sources, textOf);
  const [config] = servers;
  if (config) return config;
  const { code, message, suggestion } = problems.find(({ severity }) => severity === 'error')!;
  throw new UsageError(code ?? 'CONFIG_INVALID', message, { hint: suggestion });
}

function textOf(file: string): string | Error {
  try {
    return decodeFile(readFileSync(file));
  } catch (error) {
    return toError(error);
  }
}
