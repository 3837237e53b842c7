// Connects to the server of a config entry: starts its process, or uses its address. A LiteMCP server gets an MCP client too.

import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { type Evidence, UsageError } from '../../base/errors.ts';
import type { Noise } from '../../base/noise.ts';
import { ownCommand } from '../../base/own-command.ts';
import { COMMAND_LINE } from '../../config/problem.ts';
import { secretsOf } from '../../config/secrets-of-server.ts';
import { isOfFleet, type RemoteConfig, type ServerConfig } from '../../config/server-config.ts';
import { connect, eraKeyOf } from '../../connect/connect.ts';
import { randomText } from '../../mcp/adapter/suspended-calls.ts';
import { type Client, clientOf } from '../../mcp/client/client.ts';
import type { EraMemory } from '../../mcp/client/opening/era-memory.ts';
import type { ClientOptions, InputHandlers } from '../../mcp/client/options.ts';
import type { AskingTools } from '../../mcp/client/session/asking-tools.ts';
import { has, NEWEST_LEGACY } from '../../mcp/revisions.ts';
import type { ClientCapabilities } from '../../mcp/types.ts';
import { framingByName } from '../../wire/framing/by-name.ts';
import { isSilence } from '../../wire/requests/lost-request.ts';
import { StdioClientTransport } from '../../wire/transport/stdio-client.ts';
import type { WireObserver } from '../../wire/wire.ts';
import type { ServiceOf, StartedService } from '../hosted-server.ts';
import { type Askable, capabilitiesOf } from '../pool/askable.ts';
import { hostClient } from '../services/typed-client.ts';
import type { ServerLink } from './link.ts';

export interface OpenServerOptions {
  observer: WireObserver | undefined;
  eraMemory: EraMemory | undefined;
  serviceOf: ServiceOf | undefined;
  inputs: InputHandlers;
  /** Client capabilities that are declared to a server before 2026-07-28. */
  askable: ReadonlySet<Askable>;
  asking: AskingTools;
  onNoise: (text: string, count: number) => void;
  clock: Clock;
  signal: AbortSignal;
}

/** Limit of a whole list, as a multiple of the longest message. */
const PAGES_OF_A_LIST = 4;

export async function openServer(config: ServerConfig, options: OpenServerOptions): Promise<ServerLink<Client>> {
  const { client, revision, output } = await connectTo(config, options);
  return {
    client,
    revision,
    serverInfo: client.server.info,
    isRemote: config.url !== undefined,
    namesProcess: isOfFleet(config),
    run: config.url === undefined ? randomText(6) : undefined,
    onLost: (listener) => {
      client.onclose = listener; // the call is synchronous, so that the loss is known before its calls fail
      void client.closed.then(listener); // the connection may have ended earlier
    },
    onDoubt: (listener) => {
      client.onerror = (error) => isSilence(error) && listener(error);
    },
    isResponsive: (timeoutMs) => client.isResponsive(timeoutMs),
    evidence: () => output.evidence(),
    close: () => client.close(),
  };
}

interface Connected {
  client: Client;
  revision: string;
  output: ServerOutput;
}

async function connectTo(config: ServerConfig, options: OpenServerOptions): Promise<Connected> {
  const { name, url, maxFrameBytes, maxFrameValues, startupTimeoutMs, requestTimeoutMs, era, revision } = config;
  const { signal, clock, eraMemory, inputs, askable, asking, observer } = options;
  const clientOptions: ClientOptions = {
    ...inputs,
    shared: { capabilities: announced(askable, config), asking },
    startupTimeoutMs,
    requestTimeoutMs,
    signal,
    clock,
    eraMemory,
    era,
    revision,
    checkOutput: false, // validation against a schema of a server may never end and would block the host
    maxListBytes: PAGES_OF_A_LIST * maxFrameBytes,
  };
  if (isOfFleet(config)) {
    const service = serviceOf(config as RemoteConfig, options, clientOptions);
    await service.start();
    const client = await clientOf(service, { ...clientOptions, identity: hostClient }, { link: service });
    return { client, revision: client.server.revision, output: service };
  }
  const wire = { secrets: secretsOf(config).secrets, maxFrameBytes, maxFrameValues, clock, observer };
  if (url !== undefined) {
    const { headers, transport, oauth } = config;
    const known = config.source.file === COMMAND_LINE ? {} : { name }; // the login of an unnamed server is stored by its address
    const auth = oauth && { ...oauth, ...known };
    const ca = await certificatesIn(config.ca);
    const client = await connect({ ...wire, url, headers, transport, auth, ca }, clientOptions);
    return { client, revision: client.server.dialect ?? client.server.revision, output: client.transport };
  }
  const { command, args, env, cwd } = config;
  const target = {
    ...wire,
    command,
    args,
    env,
    cwd,
    stderr: 'ignore' as const, // the observer records stderr, and errors carry its end
    stopWaits: config.stop,
    keepDaemons: config.keepDaemons,
    lease: config.lease,
  };
  const listen = noiseListener(options.onNoise);
  if (config.protocol === 'litemcp') {
    const { openLiteMcpAsMcp } = await import('../../connect/litemcp-bridges.ts');
    const { client, revision, litemcp } = await openLiteMcpAsMcp(
      { ...target, startupTimeoutMs, requestTimeoutMs, signal },
      listen,
    );
    return { client, revision, output: litemcp };
  }
  const framing = config.framing === undefined ? undefined : framingByName(config.framing);
  const open = () => listen(new StdioClientTransport({ ...target, framing }));
  const client = await connect(open, { ...clientOptions, eraKey: eraKeyOf(target) });
  return { client, revision: client.server.dialect ?? client.server.revision, output: client.transport };
}

function serviceOf(config: RemoteConfig, options: OpenServerOptions, client: ClientOptions): StartedService {
  const service = options.serviceOf?.(config, { observer: options.observer, client });
  if (service) return service;
  throw new UsageError('INVALID_OPTION', `Server "${config.name}" belongs to a fleet that this host has not joined`, {
    hint: `Join it: \`${ownCommand} up --join nats://…\`.`,
  });
}

/** Reads the certificates for every connection, because they are renewed while a host runs. */
export async function certificatesIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch((cause: Error) => {
    throw new UsageError('CONFIG_INVALID', `The certificates of "ca" cannot be read: ${cause.message}`, {
      hint: 'Correct "ca" in the entry of the server.',
      cause,
    });
  });
}

/** Limits the declared capabilities to those that exist in the configured revision. */
function announced(askable: ReadonlySet<Askable>, { revision = NEWEST_LEGACY }: ServerConfig): ClientCapabilities {
  const { elicitation, sampling, ...rest } = capabilitiesOf(askable);
  const modes = has(revision, 'urlElicitation') ? elicitation : {};
  return {
    ...rest,
    ...(elicitation && has(revision, 'elicitation') && { elicitation: modes }),
    ...(sampling && { sampling: has(revision, 'samplingTools') ? sampling : {} }),
  };
}

/**
 * Listens before the transport starts, because a server that never connects may print too. The processes of one start are counted
 * together: the probe of a revision can end the first. The text comes from the evidence, where secrets are redacted.
 */
function noiseListener(tell: OpenServerOptions['onNoise']): <T extends NoisyOutput>(output: T) => T {
  let count = 0;
  let next = 1;
  return (output) => {
    output.onnoise = () => {
      count++;
      if (count < next) return;
      next *= 10;
      tell(output.evidence().firstNoise ?? '', count);
    };
    return output;
  };
}

interface ServerOutput {
  evidence(): Evidence;
}

interface NoisyOutput extends ServerOutput {
  onnoise?: ((noise: Noise) => void) | undefined;
}
