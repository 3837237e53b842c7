// Runs the claims of a node as servers of its host, and serves each by the node's gateway. A slot of a server is the host's server
// `<server>#<slot>`; its processes get the node and the generation of the claim as variables.

import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import { within } from '../../../base/wait.ts';
import { sameSettings } from '../../../config/files/diff-configs.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import type { Service } from '../../../mcp/service.ts';
import type { Host } from '../../host.ts';
import type { StateChange } from '../../supervision/server-state.ts';
import type { ClaimRecord, ServerRecord } from '../cluster-network.ts';
import { configOnNode } from '../place/config-on-node.ts';
import { instanceOf } from '../subjects.ts';
import type { HostTable } from './host-table.ts';
import type { InstanceRunner } from './instance-runner.ts';
import type { NodeEndpoint, OpenInstance, ServedInstance } from './node-endpoint.ts';

interface Running {
  claim: ClaimRecord;
  generation: number;
  isStateless: boolean;
  config: ServerConfig;
  open: OpenInstance;
  /** Settles when a process that replaced another is ready, has failed, or has exceeded its limit. */
  settled: Promise<unknown> | undefined;
  /** True if the server has failed permanently and was not started again since. */
  hasFailed: boolean;
  isEnding: boolean;
  /** Resolves when its processes have exited. */
  ended: Promise<void> | undefined;
}

interface RunInstancesOptions {
  node: string;
  /** Whether the claims of this session may be acted on now. */
  mayAct: (session: string) => boolean;
  /** Limit for calls to end when an instance is moved. */
  drainMs: number;
  clock: Clock;
  note: (text: string) => void;
}

/** Limit for a renewed server to become ready; the next replica waits for it. */
const SETTLED_MS = 30_000;

export class RunInstances implements InstanceRunner {
  /** Called when the server of a claim has failed permanently, or was started again by a command (without a reason). */
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

  /** Called when nothing runs any more. */
  close(): void {
    this.#host.stateListeners.delete(this.#stateChanged);
  }

  /**
   * Ignores remote servers, which no other node reaches better, and processes with an owner: one of several processes is not the
   * server.
   */
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
      const isSame = before.generation === claim.generation && before.isStateless === stateless;
      if (isSame && sameSettings(before.config, config)) return true;
      await this.end({ ...claim, generation: before.generation }, 'its entry has changed', 'drain');
      if (!this.#options.mayAct(claim.session)) return false; // the lease was lost meanwhile
    }
    this.#table.add(config);
    const open = this.#endpoint.open(this.#served(claim, stateless, this.#host.service(name)));
    const { generation } = claim;
    const settled = before ? this.#settled(name) : undefined;
    const state = { settled, hasFailed: false, isEnding: false, ended: undefined };
    this.#running.set(name, { claim, generation, isStateless: stateless, config, open, ...state });
    this.#options.note(`${name} was placed here (generation ${claim.generation})`);
    return false;
  }

  async settled(claim: ClaimRecord): Promise<void> {
    await this.#running.get(nameOf(claim))?.settled;
  }

  async end(claim: ClaimRecord, reason: string, how: 'drain' | 'now'): Promise<void> {
    const name = nameOf(claim);
    const running = this.#running.get(name);
    if (running?.generation !== claim.generation) return;
    running.isEnding = true;
    if (how === 'drain' && !running.ended) await running.open.drain(this.#options.drainMs);
    running.ended ??= this.#stop(name, running);
    await running.ended;
    this.#options.note(`${name} has ended here (generation ${claim.generation}): ${reason}`);
  }

  #settled(name: string): Promise<unknown> {
    const { clock } = this.#options;
    // Its state tells why it is not ready.
    return within(
      clock,
      SETTLED_MS,
      this.#host.startServer(name).catch(() => undefined),
    );
  }

  async #stop(name: string, running: Running): Promise<void> {
    await Promise.all([running.open.close(), this.#table.remove(name)]);
    if (this.#running.get(name) === running) this.#running.delete(name);
  }

  #served(claim: ClaimRecord, stateless: boolean, service: Service): ServedInstance {
    const { server, session, generation } = claim;
    const { mayAct } = this.#options;
    return {
      id: instanceOf(claim),
      server,
      service,
      generation,
      // A second process of a stateless server does no harm.
      mayAct: () => stateless || mayAct(session),
    };
  }
}

function nameOf({ server, slot }: Pick<ClaimRecord, 'server' | 'slot'>): string {
  return `${server}#${slot}`;
}

function instanceConfig(claim: ClaimRecord, record: ServerRecord): ServerConfig {
  const config = configOnNode(record);
  const shared = { name: nameOf(claim), unlisted: true, enabled: true, autoStart: true };
  if (config.command === undefined) return { ...config, ...shared };
  const env = { ...config.env, ...fencingEnvironment(claim) };
  if (record.place.stateless) return { ...config, ...shared, env, lease: undefined };
  const share = config.share.by === 'all' ? { ...config.share, maxProcesses: 1 } : config.share;
  return { ...config, ...shared, env, share, lease: claim.session };
}

/**
 * Tells the process of a claim its generation. Storage that the server writes to can compare generations and refuse an
 * earlier owner: a lease cannot stop a write that is already in progress.
 */
function fencingEnvironment({ node, generation }: ClaimRecord): Record<string, string> {
  return { STANDPIPE_NODE: node, STANDPIPE_GENERATION: String(generation) };
}
