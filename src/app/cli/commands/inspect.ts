// `standpipe inspect`: runs the Inspector until Ctrl-C.

import { resolve } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { redactor } from '../../../base/secrets/redact.ts';
import { maskOf } from '../../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { userEraMemory } from '../../../connect/file-era-memory.ts';
import type { Host } from '../../../host/host.ts';
import { unknownServer } from '../../../host/services/unknown-name.ts';
import type { Reach } from '../../inspector/api.ts';
import type { InspectorSource } from '../../inspector/sources/source.ts';
import { ExitCode, untilAborted } from '../exit-code.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { openPage } from '../open-page.ts';
import { loadServers } from '../servers/own-host.ts';
import { existingRecording, namesRecording, noRecording } from '../servers/recording-file.ts';
import { configFileOf, configOptions, findRunningHost } from '../servers/running-host.ts';
import { givenServer, type ServerCommandOptions } from '../servers/server-command.ts';
import { addAddressOptions, addServerOptions, examples, readPort, serverOptions } from './server-options.ts';

const WITHOUT_ARGUMENTS = `\`${ownCommand} inspect\` without arguments shows running hosts and taps`;

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[what]', 'recording, server or URL (default: running hosts and taps)')
    .option('--port <number>', 'first port to try', readPort)
    .option('--open', 'open the page in a browser (default on a terminal)')
    .option('--no-open', 'only print the address');
  addAddressOptions(addServerOptions(command));
  examples(
    command,
    'inspect',
    'inspect session.jsonl',
    'inspect weather',
    'inspect -- node server.mjs',
    'inspect http://127.0.0.1:3000/mcp',
  );
  command.action(run(inspect));
};

const inspect: CommandBody = async (invocation, [what], options) => {
  const { out, signal } = invocation;
  const { port, open } = options as { port?: number; open?: boolean };
  const { source, host } = await chooseSource(invocation, what, serverOptions(options));
  try {
    const { startInspector } = await import('../../inspector/server.ts');
    const inspector = await startInspector(source, { port }).finally(() => out.activity.end());
    if (out.json) out.document({ url: inspector.url, port: inspector.port });
    else out.write(`${inspector.url}\n`);
    if (open ?? out.onTerminal) openPage(inspector.url, 'Standpipe Inspector');
    out.say('Open it in a browser; Ctrl-C ends it.');
    await untilAborted(signal);
    await inspector.close();
  } finally {
    await host?.stop();
  }
  return ExitCode.done;
};

async function chooseSource(
  invocation: Invocation,
  what: string | undefined,
  options: ServerCommandOptions,
): Promise<{ source: InspectorSource; host?: Host }> {
  const { serverCommand, settings, out } = invocation;
  const given = await givenServer(invocation, options);
  if (given) {
    const reach = { options: commandOptions(options, given), ...(serverCommand && { command: serverCommand }) };
    return ofServer([given], () => reach);
  }
  if (what === undefined) return ofRunningHostsAndTaps();
  const file = existingRecording(what);
  if (file !== undefined) {
    const { recordingSource } = await import('../../inspector/sources/recording-source.ts');
    const label = `reading ${what}`;
    out.activity.begin(label);
    const onProgress = (events: number) => out.activity.update(label, `${events.toLocaleString('en')} events`);
    return { source: recordingSource(file, { onProgress }) };
  }
  if (namesRecording(what)) throw noRecording(what, WITHOUT_ARGUMENTS);
  const running = await findRunningHost(settings, (text) => out.say(text));
  if (running) {
    const { servers } = await running.status().finally(() => running.close());
    const names = servers.map(({ name }) => name);
    if (names.includes(what)) return ofRunningHostsAndTaps();
    throw unknownSource(what, names);
  }
  if (configFileOf(settings) === undefined && !settings.discover) throw unknownSource(what, []);
  const { servers } = await loadServers(settings);
  const found = servers.filter(({ name }) => name === what);
  if (found.length > 0) return ofServer(found, (server) => ({ server, options: configOptions(settings) }));
  throw unknownSource(
    what,
    servers.map(({ name }) => name),
  );
}

/** The argument can be a recording or a server. */
function unknownSource(what: string, servers: readonly string[]): UsageError {
  const there = servers.length > 0 ? unknownServer(what, servers, []).hint : 'There is no config with servers here';
  return new UsageError('NAME_UNKNOWN', `There is no recording and no server named "${what}"`, {
    hint: `${there}; ${WITHOUT_ARGUMENTS}.`,
  });
}

/**
 * Returns the options for a command that may run in another folder. Values of variables are left out and secrets are
 * masked.
 */
function commandOptions(options: ServerCommandOptions, server: ServerConfig): string[] {
  const { protocol, framing, era, revision, transport } = options;
  const redact = redactor({ mask: maskOf(server) });
  const place = server.url === undefined ? { cwd: resolve(server.cwd) } : { url: redact(options.url!), transport };
  const given = Object.entries({ protocol, framing, era, revision, ...place });
  const env = (options.env ?? []).flatMap((word) => ['--env', word.split('=', 1)[0]!]);
  const headers = (options.header ?? []).flatMap((word) => ['--header', redact(word)]);
  return [...env, ...headers, ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))];
}

async function ofRunningHostsAndTaps(): Promise<{ source: InspectorSource }> {
  const { liveSource } = await import('../../inspector/sources/live-source.ts');
  return { source: liveSource() };
}

async function ofServer(
  servers: readonly ServerConfig[],
  reach: (server: string) => Reach,
): Promise<{ source: InspectorSource; host: Host }> {
  const [{ Host }, { ServerSecrets }, { hostSource }, { inspectorInputs }] = await Promise.all([
    import('../../../host/host.ts'),
    import('../servers/show-traffic.ts'),
    import('../../inspector/sources/source.ts'),
    import('../../inspector/calls/questions.ts'),
  ]);
  const questions = inspectorInputs();
  const host = new Host(servers, { inputs: questions.inputs, eraMemory: userEraMemory() });
  void host.start(); // the Inspector shows the outcome
  return { source: hostSource(host, { questions, redact: new ServerSecrets(servers).redact, reach }), host };
}
