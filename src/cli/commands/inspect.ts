// `standpipe inspect`: the Inspector in a browser, until Ctrl-C.

import { existsSync, statSync } from 'node:fs';
import type { Host } from '../../host/host.ts';
import type { InspectorSource } from '../../inspector/source.ts';
import { openBrowser } from '../../process/open-browser.ts';
import { ExitCode } from '../exit-code.ts';
import { untilAborted } from '../interrupt.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { unknownServer } from '../reach/find-server.ts';
import { loadServers } from '../reach/own-host.ts';
import { findRunningHost } from '../reach/running-host.ts';
import { type ServerCommandOptions, serverOfCommand } from '../reach/server-command.ts';
import { addServerOptions, examples, readPort, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[what]', 'a recording, or a server of the config; without it, all hosts and taps that run')
    .option('--port <number>', 'where to listen first', readPort)
    .option('--no-open', 'only print the address; without it, a terminal opens the browser');
  addServerOptions(command);
  examples(command, 'inspect', 'inspect session.jsonl', 'inspect weather', 'inspect -- node server.mjs');
  command.action(run(inspect));
};

const inspect: CommandBody = async (invocation, [what], options) => {
  const { out, signal } = invocation;
  const { port, open } = options as { port?: number; open: boolean };
  const { source, host } = await chooseSource(invocation, what, serverOptions(options));
  try {
    const { startInspector } = await import('../../inspector/server.ts');
    const inspector = await startInspector(source, { port });
    if (out.json) out.document({ url: inspector.url, port: inspector.port });
    else out.write(`${inspector.url}\n`);
    if (open && out.onTerminal) openBrowser(inspector.url);
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
  const { serverCommand, settings } = invocation;
  if (serverCommand) return ofServer([serverOfCommand(serverCommand, options, settings)]);
  if (what !== undefined && existsSync(what) && statSync(what).isFile()) {
    const { recordingSource } = await import('../../inspector/recording-source.ts');
    return { source: recordingSource(what) };
  }
  const running = await findRunningHost(settings);
  const names = running && (await running.status()).map(({ name }) => name);
  await running?.close();
  if (what !== undefined && names && !names.includes(what)) throw unknownServer(what, names);
  if (what === undefined || running) {
    const { liveSource } = await import('../../inspector/live-source.ts');
    return { source: liveSource() };
  }
  const { servers } = await loadServers(settings);
  const found = servers.filter(({ name }) => name === what);
  if (found.length === 0) {
    throw unknownServer(
      what,
      servers.map(({ name }) => name),
    );
  }
  return ofServer(found);
}

async function ofServer(
  servers: ConstructorParameters<typeof Host>[0],
): Promise<{ source: InspectorSource; host: Host }> {
  const [{ Host }, { hostSource }, { inspectorInputs }] = await Promise.all([
    import('../../host/host.ts'),
    import('../../inspector/host-source.ts'),
    import('../../inspector/questions.ts'),
  ]);
  const questions = inspectorInputs();
  const host = new Host(servers, { inputs: questions.inputs });
  void host.start(); // what becomes of it is shown
  return { source: hostSource(host, { questions }), host };
}
