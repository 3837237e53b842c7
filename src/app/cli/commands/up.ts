// `standpipe up`: runs the servers of the config until Ctrl-C, then exits with code 0. `--background` starts the same command in a
// separate process and returns when that process serves.

import { Option } from 'commander';
import { describeError } from '../../../base/error-json.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { reportStart } from '../../../wire/process/launch/start-detached.ts';
import { ExitCode } from '../exit-code.ts';
import { addJoinOptions, readJoinOptions, settingsOfNode } from '../fleet/fleet-options.ts';
import { type CommandBody, type CommandModule, durationOf, type Invocation, invalidOption } from '../invocation.ts';
import type { UpOptions } from '../up/run-host.ts';
import { collect, countOf, help, readPort } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .option('--background', `run in the background; \`${ownCommand} down\` stops it`)
    .option('--idle <time>', 'exit after this time without a connected client: 30s, 10m', durationOf('--idle'))
    .option('--on-demand', 'start each server at its first use')
    .option('--no-watch', 'do not watch the config for changes')
    .option('--no-inspector', 'do not start the Inspector')
    .option('--port <number>', 'first port to try for the Inspector', readPort)
    .addOption(new Option('--inspector-port <number>').argParser(readPort).hideHelp())
    .option('--open', 'open the Inspector in a browser')
    .option('--record <file>', 'record all traffic to this file')
    .option('--max-file-bytes <number>', 'rotate the recording at this size', countOf('--max-file-bytes'))
    .option('--max-files <number>', 'keep at most this many recording files', countOf('--max-files'))
    .option('--audit <file>', 'record who called what, as lines with a hash chain')
    .option('--audit-arguments', 'keep the arguments in the audit trail, without secrets')
    .option('--audit-required', 'refuse calls that the audit trail cannot record')
    .addOption(new Option('--log <file>', 'file that stdout and stderr are written to').hideHelp())
    .optionsGroup('HTTP options:')
    .option('--http <[host:]port>', 'serve all servers at /mcp and each one at /mcp/<server>')
    .addOption(
      new Option('--tools <mode>', 'tools at /mcp: all, or some that search the others').choices(['all', 'search']),
    )
    .option('--tokens <file>', `client token file (default: the one of \`${ownCommand} token\`)`)
    .option('--jwt-issuer <url>', 'accept JWT access tokens from this issuer')
    .option('--jwt-audience <uri>', 'audience of access tokens (default: /mcp of --public-url)')
    .option('--jwks <url>', 'URL of the issuer keys (default: from its metadata)')
    .option('--jwt-any-scope', 'accept access tokens without a scope for every server')
    .option('--tls-cert <file>', 'certificate for HTTPS, in PEM; reloaded when it changes')
    .option('--tls-key <file>', 'private key of the certificate, in PEM')
    .option('--behind-proxy', 'expect a proxy that terminates TLS; needs --public-url')
    .option('--public-url <url>', 'URL that clients use; requests for other hosts are refused')
    .option('--allow-origin <origin>', 'allow web pages from this origin; repeatable', collect)
    .option('--drain <time>', 'limit for pending requests during a stop (default: 10s)', durationOf('--drain'));
  addJoinOptions(command);
  help(
    command,
    `Other commands find the running host by its config and use its servers. A
config change restarts only the servers that it affects.

With --join the host becomes a node of a fleet, named by --node (default: the
machine name). A node works without a config: it runs the servers that the
fleet places on it.`,
    'up',
    'up --config examples/mcp.json --open',
    'up --background --idle 10m',
    'up --record session.jsonl',
    'up --http 8080 --audit audit.jsonl',
    'up --http 8080 --tools search',
    'up --http 8080',
    'up --http 8080 --behind-proxy --public-url https://mcp.example.org',
    'up --join nats://127.0.0.1 --node one --labels gpu,eu',
  );
  command.action(run(up));
};

const up: CommandBody = async (invocation, _words, options) => {
  if (invocation.serverCommand) {
    throw new UsageError('NOT_SUPPORTED', 'up runs the servers of a config, not a command', {
      hint: `Add one with \`${ownCommand} add\`, or use \`${ownCommand} call … -- <command …>\`.`,
    });
  }
  const { inspectorPort, ...rest } = options as unknown as UpOptions & { background?: boolean; inspectorPort?: number };
  const given = { ...(inspectorPort !== undefined && { port: inspectorPort }), ...rest };
  if (given.idle !== undefined && given.http !== undefined) {
    throw new UsageError('NOT_SUPPORTED', '--idle cannot be used with --http', {
      hint: 'HTTP clients keep no connection open, so the host cannot tell when it is idle.',
    });
  }
  if (given.record === undefined && (given.maxFileBytes ?? given.maxFiles) !== undefined) {
    throw invalidOption(
      '--max-file-bytes and --max-files need --record',
      'Name the file to record to: --record session.jsonl.',
    );
  }
  if (invocation.settings.shared && readJoinOptions(given)) {
    throw new UsageError('NOT_SUPPORTED', '--shared cannot be used with --join', {
      hint: 'Shared servers come from local clients and run only on this machine.',
    });
  }
  if (given.background) return background(invocation, given);
  const { runHost } = await import('../up/run-host.ts');
  try {
    await runHost(invocation, given);
  } catch (error) {
    if (given.log !== undefined) await reportStart({ error: describeError(error) });
    throw error;
  }
  return ExitCode.done;
};

async function background({ settings, out }: Invocation, options: UpOptions): Promise<number> {
  const { startInBackground } = await import('../up/start-background.ts');
  const join = readJoinOptions(options);
  const words = wordsOfHost(process.argv.slice(2));
  const started = await startInBackground(settingsOfNode(settings, join), {
    idleMs: options.idle,
    words,
    hasFleet: join !== undefined,
  });
  if (!started) {
    throw new UsageError('HOST_ALREADY_RUNNING', 'A host for this config or node is already running', {
      hint: `Use it (\`${ownCommand} ls\`), or stop it first (\`${ownCommand} down\`). A second host needs another config; a node without a config needs another --node name.`,
    });
  }
  const { pid, log, stop, text } = started;
  if (out.json) out.document({ pid, log, stop });
  else out.say(`Standpipe ${text}`);
  return ExitCode.done;
}

/** Command line that runs the same host in the foreground of the new process. */
function wordsOfHost(words: readonly string[]): string[] {
  const others = words.filter((word, at) => !word.startsWith('--config') && words[at - 1] !== '--config');
  return others.filter((word) => !['up', '--background', '--json'].includes(word));
}
