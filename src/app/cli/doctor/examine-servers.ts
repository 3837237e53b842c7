// Starts each enabled server once and measures its start. A server that a running host has ready is not started a second time: two
// processes may need the same port or file.

import { systemClock } from '../../../base/clock.ts';
import { describeError } from '../../../base/error-json.ts';
import { StandpipeError, toError } from '../../../base/errors.ts';
import { unlessAborted } from '../../../base/wait.ts';
import { inParallel } from '../../../check/in-parallel.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { userEraMemory } from '../../../connect/file-era-memory.ts';
import { Host } from '../../../host/host.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import { residentBytesOfSession } from '../../../wire/process/tree/process-table.ts';
import type { Invocation } from '../invocation.ts';
import { forOneCommand } from '../servers/own-host.ts';
import { whyItFailed } from '../servers/reach-host.ts';
import { noiseText } from '../servers/server-reports.ts';
import { evidenceLines } from '../show-error.ts';
import type { Finding } from './finding.ts';

export interface ExaminedServer {
  name: string;
  /** `running`: a running host has it ready. `rejected`: its entry has errors. */
  state: 'ready' | 'failed' | 'disabled' | 'running' | 'rejected';
  place: string;
  /** From the start to the end of the handshake. */
  readyAfterMs?: number | undefined;
  /** Resident memory of all processes of the server, directly after the start. */
  residentBytes?: number | undefined;
}

interface Examination {
  servers: ExaminedServer[];
  findings: Finding[];
}

/** Several servers start at once, but not so many that each of them is slowed down. */
const MOST_STARTING = 2;

export async function examineServers(
  configs: readonly ServerConfig[],
  running: readonly ServerStatus[],
  { settings, out, signal }: Invocation,
): Promise<Examination> {
  const noise = new Map<string, string>();
  const findings: Finding[] = [];
  const examined = new Map<string, ExaminedServer>();
  const wanted: ServerConfig[] = [];
  for (const config of configs) {
    const status = running.find(({ name, state }) => name === config.name && state === 'ready');
    const entry = { name: config.name, place: placeOf(config) };
    examined.set(config.name, { ...entry, state: config.enabled ? 'failed' : 'disabled' });
    if (config.enabled && status) examined.set(config.name, { ...entry, state: 'running', ...memoryOf(status) });
    else if (config.enabled) wanted.push(config);
  }
  const host = new Host(
    wanted.map((config) => forOneCommand(config, settings)),
    {
      eraMemory: userEraMemory(),
      onNoise: ({ server, text, count }) => void (count === 1 && noise.set(server, text)),
    },
  );
  const examine = async (config: ServerConfig) => {
    const { name } = config;
    const about = { topic: 'server', server: name, place: placeOf(config) } as const;
    signal.throwIfAborted();
    out.activity.begin(`starting ${name}`);
    const startMs = systemClock.nowMs();
    try {
      await host.startServer(name);
    } catch (thrown) {
      findings.push({ ...about, ...failure(thrown) });
      return;
    }
    const readyAfterMs = Math.round(systemClock.nowMs() - startMs);
    const status = host.status().find((each) => each.name === name)!;
    examined.set(name, { name, place: about.place, state: 'ready', readyAfterMs, ...memoryOf(status) });
    const stray = noise.get(name);
    if (stray !== undefined) {
      const fix =
        'Print to stderr instead: stdout is for protocol messages only, and other clients may fail on such text.';
      findings.push({ ...about, level: 'warning', message: noiseText(name, stray), fix });
    }
    for (const { message } of host.warnings(name)) findings.push({ ...about, level: 'warning', message });
    await host.stopServer(name);
  };
  try {
    await unlessAborted(inParallel(wanted, MOST_STARTING, examine), signal);
  } finally {
    await host.stop();
    out.activity.end();
  }
  const order = configs.map(({ name }) => name);
  findings.sort((a, b) => order.indexOf(a.server!) - order.indexOf(b.server!));
  return { servers: [...examined.values()], findings };
}

function placeOf({ source: { file, line } }: ServerConfig): string {
  return `${file}:${line}`;
}

function memoryOf({ pid, processes }: ServerStatus): Pick<ExaminedServer, 'residentBytes'> {
  const pids = new Set([pid, ...processes.map((process) => process.pid)].filter((each) => each !== null));
  const sizes = [...pids].map(residentBytesOfSession).filter((bytes) => bytes !== undefined);
  return sizes.length === 0 ? {} : { residentBytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

/** The cause of a failed start, with the diagnosis and the hint of its error. */
export function failure(
  thrown: unknown,
): Pick<Finding, 'level' | 'code' | 'diagnosis' | 'message' | 'fix' | 'evidence'> {
  const error = toError(whyItFailed(thrown));
  const { code, message, hint, evidence } = describeError(error);
  const lines = error instanceof StandpipeError ? evidenceLines(error) : [];
  return {
    level: 'problem',
    code: code ?? 'INTERNAL',
    diagnosis: evidence?.diagnosis,
    message,
    fix: hint,
    ...(lines.length > 0 && { evidence: lines.map((line) => line.trim()) }),
  };
}
