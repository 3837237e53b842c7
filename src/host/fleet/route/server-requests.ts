// The requests to one server of the fleet. Each goes to the instance chosen for its client: on this node by a function call, on another
// node as a message. A request that did not run is sent again as soon as the table has an instance. One that may have run fails with
// OUTCOME_UNKNOWN.

import { DEFAULT_MAX_FRAME_VALUES } from '../../../base/count-json-values.ts';
import { type Evidence, PeerError, RpcCode, RpcError, UsageError } from '../../../base/errors.ts';
import { idParameter, withHandle } from '../../../mcp/extensions/assigned-ids.ts';
import { handle, readHandle } from '../../../mcp/handles.ts';
import { reaches } from '../../../mcp/meta.ts';
import { invalidParams } from '../../../mcp/protocol-errors.ts';
import type { Caller, ClientIdentity, Params, Result } from '../../../mcp/service.ts';
import type { SubscriptionFilter } from '../../../mcp/types.ts';
import { LOG_METHOD } from '../../../mcp/watchers.ts';
import type { JsonRpcMessage } from '../../../wire/jsonrpc/message.ts';
import type { ParseOptions } from '../../../wire/jsonrpc/parse.ts';
import { InFlight } from '../../../wire/requests/in-flight.ts';
import {
  type PendingRequest,
  PendingRequests,
  SENT,
  type WaitOptions,
} from '../../../wire/requests/pending-requests.ts';
import { isStopped } from '../../supervision/server-errors.ts';
import type { LocalInstance } from '../node/node-endpoint.ts';
import type { Payload } from '../parts.ts';
import { mayBeInstanceOf } from '../subjects.ts';
import { FleetCall, type FleetCallOwner, LISTEN, notSent, outcomeUnknown, type Unanswered } from './call.ts';
import type { FleetCalls } from './calls.ts';
import { InstanceChooser } from './choose-instance.ts';
import type { FleetService } from './fleet-service.ts';
import type { FleetServiceOptions } from './fleet-services.ts';
import type { FleetWatches } from './fleet-watches.ts';
import { ObservedMessages } from './observed-messages.ts';
import { errorIn, RequestTexts, readMessage, wrongId } from './request-text.ts';
import type { RoutedInstance } from './routing-table.ts';
import { WaitingCalls } from './waiting-calls.ts';

export const DISCOVER = 'server/discover';
const DEFAULT_TIMEOUT_MS = 60_000;

interface SentOptions extends WaitOptions {
  /** The caller; undefined for requests from the host itself. */
  caller?: Caller | undefined;
}

export class ServerRequests implements FleetCallOwner {
  watches!: FleetWatches;
  readonly service: FleetService;
  readonly calls: FleetCalls;
  readonly url: string;
  readonly observed: ObservedMessages;
  readonly maxAnswerBytes: number;
  readonly #server: string;
  readonly #parsing: ParseOptions;
  readonly texts: RequestTexts;
  readonly #chooser: InstanceChooser;
  readonly #pending: PendingRequests<Params, Result, SentOptions>;
  readonly #byId = new InFlight<number, FleetCall>();
  readonly waiting: WaitingCalls;

  constructor(calls: FleetCalls, server: string, options: FleetServiceOptions, service: FleetService) {
    const { client = {}, maxFrameBytes, maxFrameValues, observer, share = 'all' } = options;
    this.service = service;
    this.calls = calls;
    this.#server = server;
    this.maxAnswerBytes = maxFrameBytes;
    this.#parsing = { batches: false, arrayParams: false, maxFrameValues: maxFrameValues ?? DEFAULT_MAX_FRAME_VALUES };
    this.texts = new RequestTexts(client);
    this.url = `nats://${calls.network.fleet}/${encodeURIComponent(server)}`;
    this.observed = new ObservedMessages(observer, calls.clock, (error) => this.service.onerror?.(error));
    this.#chooser = new InstanceChooser(calls.self, share);
    this.#pending = new PendingRequests({
      clock: calls.clock,
      requestTimeoutMs: client.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      timeoutHint: 'Raise timeoutMs, or have the server report progress.',
      connection: this,
      send: (request, params) => this.#begin(request, params),
      gaveUp: ({ id }) => this.#cancel(id),
    });
    this.waiting = new WaitingCalls(calls, server, {
      send: (call) => this.#byId.get(call.id) === call && this.#dispatch(call),
      lose: (call, error) => this.#lose(call, error),
      end: (why) => service.ended(`No node answers for "${server}": ${why}`),
    });
  }

  open(method: string, params: Params, options: SentOptions): Promise<Result> {
    return this.#pending.open(method, params, options);
  }

  gone(client: ClientIdentity): void {
    const instance = this.#chooser.forget(this.instances, client);
    if (instance && !this.isStateless) this.calls.gone(instance, client);
  }

  /** Cancels the requests in flight. If the server is lost, each fails as not sent or with an unknown outcome. */
  close(byUs: boolean, cause: Error | undefined): void {
    for (const call of [...this.#byId.values()]) {
      this.#byId.delete(call.id);
      this.calls.release(call);
      if (byUs || !cause) this.calls.cancel(call);
      else {
        const wasSent = this.calls.close(call, 'lost');
        this.#reject(
          call.id,
          wasSent ? outcomeUnknown(call, cause.message) : notSent(call, this.#server, cause.message),
        );
      }
    }
    this.waiting.end();
    this.#pending.failAll(byUs, cause);
  }

  evidence(): Evidence {
    return { phase: 'running', url: this.url };
  }

  get instances(): readonly RoutedInstance[] {
    return this.calls.table.instancesOf(this.#server);
  }

  get isStateless(): boolean {
    return this.calls.table.recordOf(this.#server)?.place?.stateless === true;
  }

  instanceOf(client: ClientIdentity | undefined): RoutedInstance | undefined {
    return this.#chooser.choose(this.instances, this.isStateless, client);
  }

  /** The message for another node. Throws a UsageError if the parameters cannot be serialised. */
  payloadOf(call: FleetCall): Payload {
    const payload = this.texts.of(call);
    if (payload instanceof UsageError) throw payload;
    const { wire } = this.service;
    if (wire) call.caller?.link?.sent(wire, call.id);
    this.observed.sent(payload);
    return payload;
  }

  received(call: FleetCall, text: string, data: Uint8Array): void {
    const message = this.read(call, text, data);
    if (!message) return;
    if ('method' in message) return this.#notified(call, message.method, message.params ?? {});
    message.id ??= call.id; // the other node could not read the id
    if (message.id !== call.id) return this.failed(call, wrongId(call.method));
    if ('error' in message && message.error) this.#refused(call, errorIn(message));
    else this.#answered(call, (message as { result: Result }).result);
  }

  unanswered(call: FleetCall, outcome: Unanswered, why: string): void {
    // `server/discover` changes nothing, so it may be repeated.
    if (outcome === 'lost' && call.method !== DISCOVER) return this.#lose(call, outcomeUnknown(call, why));
    if (!isRefusedByAll(call, this)) return void this.#dispatch(call);
    if (outcome !== 'busy') return this.waiting.add(call, why);
    this.#lose(call, new RpcError(RpcCode.serverBusy, `Node "${call.instance!.node}" is busy: ${why}`));
  }

  failed(call: FleetCall, error: Error): void {
    if (this.calls.close(call, 'failed')) this.#lose(call, error);
    else this.service.onerror?.(error);
  }

  /** Returns undefined if the text is not a valid message; the call has then failed. */
  read(call: FleetCall, text: string, data: Uint8Array): JsonRpcMessage | undefined {
    this.observed.received(data);
    const message = readMessage(call, text, data.length, this.#parsing);
    if (!(message instanceof PeerError)) return message;
    call.owner.failed(call, message);
    return undefined;
  }

  #begin({ id, method, options }: PendingRequest<Result, SentOptions>, params: Params): Promise<void> {
    if (method === LISTEN) {
      this.watches.begin(id, params.notifications as SubscriptionFilter, (error) => this.#reject(id, error));
      return SENT;
    }
    let only: string | undefined;
    let own = params;
    for (const member of ['requestState', idParameter(method)]) {
      const parked = member === undefined ? undefined : readHandle(params[member]);
      if (!parked) continue;
      if (!mayBeInstanceOf(this.#server, parked.owner)) {
        const why = `Unknown ${member}: it was altered, or belongs to another server`;
        this.#reject(id, invalidParams(`${why}. Send the request again without it.`, { [member!]: 'unknown' }));
        return SENT;
      }
      only ??= parked.owner;
      own = { ...own, [member!]: parked.id };
    }
    const call = new FleetCall(this, {
      id,
      method,
      params: own,
      caller: options?.caller,
      only,
      maxAnswerBytes: this.maxAnswerBytes,
    });
    this.#byId.add(id, call);
    return this.#dispatch(call) ?? SENT;
  }

  #dispatch(call: FleetCall): Promise<void> | undefined {
    const instance = instanceFor(call, this, this.#chooser);
    if (!instance || !this.calls.canReach(instance)) {
      this.waiting.add(call, this.calls.table.whyNone(this.#server));
      return undefined;
    }
    const local = this.calls.local(instance);
    if (local) return void this.#runHere(call, instance, local);
    if (!call.payload && !this.#encode(call)) return undefined;
    return this.calls.send(call, instance, this.observed.mayTrace());
  }

  /** The limit without progress is not applied here: the instance applies it, because it sees the progress. */
  #runHere(call: FleetCall, instance: RoutedInstance, local: LocalInstance): void {
    this.calls.beginHere(call, instance);
    const { reply } = call;
    const refused = local.whyRefused(call.params);
    if (refused !== undefined) {
      this.calls.close(call, 'not_run');
      return this.unanswered(call, 'not_run', refused);
    }
    const pending = this.#pending.get(call.id);
    if (pending && call.caller) pending.dueMs = pending.totalDueMs;
    local.request(call.method, call.params, call.caller!).then(
      (result) => call.reply === reply && this.calls.isOpen(call) && this.#answered(call, result),
      (error: Error) => call.reply === reply && this.calls.isOpen(call) && this.#refused(call, error),
    );
  }

  /** Returns false if the call has failed. */
  #encode(call: FleetCall): boolean {
    try {
      const refused = this.calls.hold(call, this.payloadOf(call));
      if (!refused) return true;
      const hint = 'The request did not run; sending it again is safe.';
      this.#lose(call, new PeerError('NOT_SENT', refused.message, { cause: refused, hint, evidence: this.evidence() }));
    } catch (error) {
      this.#lose(call, error);
    }
    return false;
  }

  #notified({ id, caller }: FleetCall, method: string, params: Params): void {
    const pending = this.#pending.get(id);
    if (!pending || !caller) return;
    if (method === 'notifications/progress' && caller.wantsProgress) {
      this.#pending.extend(pending);
      caller.progress(params);
    }
    const { logLevel } = caller.client;
    if (method === LOG_METHOD && logLevel !== undefined && reaches(params.level, logLevel)) caller.log(params);
  }

  #answered(call: FleetCall, result: Result): void {
    if (result.resultType === 'input_required' && typeof result.requestState === 'string') {
      result.requestState = handle(call.instance!.id, result.requestState);
    }
    this.#settle(call);
    this.waiting.answered();
    const pending = this.#pending.get(call.id);
    if (!pending) return;
    this.#pending.remove(pending);
    pending.resolve(withHandle(call.only ?? call.instance!.id, call.method, result));
  }

  #refused(call: FleetCall, error: Error): void {
    // The owner was releasing the server, so the request did not run.
    if (isStopped(error) && call.instance!.generation !== undefined) {
      this.calls.close(call, 'not_run');
      const pending = this.#pending.get(call.id);
      if (pending) this.#pending.extend(pending); // `#runHere` had lifted the limit of the call
      return this.unanswered(call, 'not_run', error.message);
    }
    this.#lose(call, error);
  }

  #cancel(id: number): void {
    this.watches.end(id);
    const call = this.#byId.take(id);
    if (!call) return;
    this.calls.release(call);
    this.waiting.delete(call);
    this.calls.cancel(call);
  }

  #settle(call: FleetCall): void {
    this.calls.close(call);
    this.calls.release(call);
    this.#byId.delete(call.id);
  }

  #lose(call: FleetCall, error: unknown): void {
    this.#settle(call);
    this.#reject(call.id, error);
  }

  #reject(id: number, error: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.remove(pending);
    pending.reject(error);
  }
}

/** A replica of a stateless server that refuses a call, or cannot be reached, is left out until all others have refused it too. */
function instanceFor(call: FleetCall, requests: ServerRequests, chooser: InstanceChooser): RoutedInstance | undefined {
  const { instances, calls } = requests;
  if (call.only !== undefined) {
    // Ids that a server of a node's own config assigned outlive the session of the node.
    const isOfServer = idParameter(call.method) !== undefined;
    return instances.find(({ id, generation }) => id === call.only || (generation === undefined && isOfServer));
  }
  const isStateless = instances.length > 1 && requests.isStateless;
  const isAny = !isStateless || (!call.refusedBy && calls.network.isConnected);
  return chooser.choose(
    isAny ? instances : instances.filter(canAnswer(call, requests)),
    isStateless,
    call.caller?.client.identity,
  );
}

/** Called after the call's instance has refused it. Returns false if another instance may answer it now. */
function isRefusedByAll(call: FleetCall, requests: ServerRequests): boolean {
  if (call.only !== undefined || !requests.isStateless) return true;
  call.refusedBy ??= new Set();
  call.refusedBy.add(call.instance!.id);
  if (requests.instances.some(canAnswer(call, requests))) return false;
  call.refusedBy = undefined;
  return true;
}

function canAnswer({ refusedBy }: FleetCall, { calls }: ServerRequests): (instance: RoutedInstance) => boolean {
  return (instance) => calls.canReach(instance) && !refusedBy?.has(instance.id);
}
