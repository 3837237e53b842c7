// A host that runs in another process, reached through its socket. To its users it is like one of their own.

import type { Socket } from 'node:net';
import { type ErrorDescription, errorFrom, fromRpcError } from '../base/error-json.ts';
import { RpcCode, RpcError } from '../base/errors.ts';
import type { ConfigProblem } from '../config/problem.ts';
import { LARGEST_MAX_FRAME_BYTES } from '../framing/framing.ts';
import { Peer } from '../jsonrpc/peer.ts';
import type { InputContext } from '../mcp/client/options.ts';
import type { Warning } from '../mcp/client/warnings.ts';
import type {
  CallToolResult,
  ElicitParams,
  ElicitResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../mcp/types.ts';
import { connectLocal } from '../transport/local-socket.ts';
import { StreamTransport } from '../transport/stream-transport.ts';
import type { Unanswered } from './caller-questions.ts';
import type { Offer } from './catalog.ts';
import type { CallSettings, HostAbout, HostApi } from './host-api.ts';
import type { ServerStatus } from './server-state.ts';

/** The host keeps the time of what it does for us; this is only for one that hangs. */
const PATIENCE_MS = 24 * 60 * 60_000;

/** What runs is known at once, unless the host itself is stopped. */
const STATUS_MS = 5_000;

export class RemoteHost implements HostApi {
  readonly #peer: Peer;
  #answers = false;

  private constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Nothing where nobody listens. */
  static async connect(path: string): Promise<RemoteHost | undefined> {
    let socket: Socket;
    try {
      socket = await connectLocal(path);
    } catch {
      return undefined; // no host runs, or it left its socket behind
    }
    // The limits are the host's, for each server: what it took from one is not refused here.
    const limits = { maxFrameBytes: LARGEST_MAX_FRAME_BYTES, maxFrameValues: LARGEST_MAX_FRAME_BYTES };
    const peer = new Peer(StreamTransport.over(socket, limits), { requestTimeoutMs: PATIENCE_MS });
    await peer.start();
    return new RemoteHost(peer);
  }

  /** From now on, what a server asks during a call of ours is answered by `elicit`, if there is one. */
  answerQuestions(
    elicit: ((server: string, params: ElicitParams, context: InputContext) => Promise<ElicitResult>) | undefined,
    onUnanswered: (question: Unanswered) => void,
  ): void {
    this.#answers = elicit !== undefined;
    if (elicit) {
      this.#peer.handle<{ server: string; params: ElicitParams }>(
        'host/elicit',
        ({ server, params }, { signal }) => elicit(server, params, { signal }),
        { asks: true },
      );
    }
    this.#peer.onNotification('host/unanswered', (question) => onUnanswered(question as unknown as Unanswered));
  }

  async status(): Promise<ServerStatus[]> {
    const asked = this.#peer.request<{ servers: ServerStatus[] }>('host/status', {}, { timeoutMs: STATUS_MS });
    return (await asked).servers;
  }

  async rejected(): Promise<ConfigProblem[]> {
    const asked = this.#peer.request<{ problems: ConfigProblem[] }>('host/rejected', {}, { timeoutMs: STATUS_MS });
    return asked.then(
      ({ problems }) => problems,
      (error) => {
        if (error instanceof RpcError && error.rpcCode === RpcCode.methodNotFound) return []; // an older host
        throw error;
      },
    );
  }

  async about(): Promise<HostAbout> {
    const about = await this.#peer.request<Partial<HostAbout>>('host/about', {}, { timeoutMs: STATUS_MS });
    return { pid: about.pid ?? 0, lastSeq: about.lastSeq ?? 0 }; // an older host knows less
  }

  async warnings(server: string): Promise<readonly Warning[]> {
    return (await this.#ask<{ warnings: Warning[] }>('host/warnings', { server })).warnings;
  }

  async stderrSince(server: string, seq: number): Promise<string> {
    return (await this.#ask<{ text: string }>('host/stderrSince', { server, seq })).text;
  }

  /** Asks the host to stop its servers and to end. Resolves when it has begun to. */
  async down(): Promise<void> {
    await this.#ask('host/down');
  }

  async tools(
    options: { start?: boolean } = {},
  ): Promise<{ tools: Offer<Tool>[]; failed: { server: string; error: Error }[] }> {
    type Answer = { tools: Offer<Tool>[]; failed: { server: string; error: ErrorDescription }[] };
    const { tools, failed } = await this.#ask<Answer>('host/tools', options);
    return {
      tools,
      failed: failed.map(({ server, error }) => ({ server, error: errorFrom(error) })),
    };
  }

  async listTools(server: string): Promise<Tool[]> {
    return (await this.#ask<{ tools: Tool[] }>('host/listTools', { server })).tools;
  }

  listResources(server: string): Promise<{ resources: Resource[]; resourceTemplates: ResourceTemplate[] }> {
    return this.#ask('host/listResources', { server });
  }

  async listPrompts(server: string): Promise<Prompt[]> {
    return (await this.#ask<{ prompts: Prompt[] }>('host/listPrompts', { server })).prompts;
  }

  callTool(
    server: string,
    tool: string,
    args?: Record<string, unknown>,
    settings?: CallSettings,
  ): Promise<CallToolResult> {
    return this.#ask('host/callTool', { server, tool, args }, settings);
  }

  readResource(server: string, uri: string, settings?: CallSettings): Promise<ReadResourceResult> {
    return this.#ask('host/readResource', { server, uri }, settings);
  }

  getPrompt(
    server: string,
    name: string,
    args?: Record<string, string>,
    settings?: CallSettings,
  ): Promise<GetPromptResult> {
    return this.#ask('host/getPrompt', { server, name, args }, settings);
  }

  async startServer(server: string): Promise<void> {
    await this.#ask('host/start', { server });
  }

  async stopServer(server: string): Promise<void> {
    await this.#ask('host/stop', { server });
  }

  async restartServer(server: string): Promise<void> {
    await this.#ask('host/restart', { server });
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  async #ask<T>(method: string, params: object = {}, settings: CallSettings = {}): Promise<T> {
    const { signal, onProgress, timeoutMs, repeatable } = settings;
    try {
      return await this.#peer.request<T>(
        method,
        { ...params, timeoutMs, repeatable, answers: this.#answers },
        { signal, onProgress },
      );
    } catch (error) {
      throw fromRpcError(error);
    }
  }
}
