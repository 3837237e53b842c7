// `standpipe up`: runs the servers of the config until Ctrl-C, which is the usual end, with exit code 0. With `--background` it
// starts the same command in a process of its own, and ends when that serves.

import { Option } from 'commander';
import { describeError } from '../../../base/error-json.ts';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { reportStart } from '../../../wire/process/launch/start-detached.ts';
import { ExitCode } from '../exit-code.ts';
import { addJoinOptions, readJoinOptions, settingsOfNode } from '../fleet/join-options.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { durationOf } from '../settings.ts';
import type { UpOptions } from '../up/run-host.ts';
import { collect, countOf, examples, readPort } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .option('--background', `return when the host runs; \`${ownCommand} down\` stops it`)
    .option('--idle <time>', 'end after this time without a connected program: 30s, 10m', durationOf('--idle'))
    .option('--on-demand', 'start each server at its first use')
    .option('--no-watch', 'do not watch the config for changes')
    .option('--no-inspector', 'do not start the Inspector')
    .option('--port <number>', 'first port to try for the Inspector', readPort)
    .addOption(new Option('--inspector-port <number>').argParser(readPort).hideHelp())
    .option('--open', 'open the Inspector in a browser')
    .option('--record <file>', 'record all traffic to this file')
    .option('--max-file-bytes <number>', 'rotate the recording at this size', countOf('--max-file-bytes'))
    .option('--max-files <number>', 'limit for the files of a recording', countOf('--max-files'))
    .addOption(new Option('--log <file>', 'the file that stdout and stderr are').hideHelp())
    .optionsGroup('HTTP options:')
    .option('--http <[host:]port>', 'serve all servers at /mcp, and one at /mcp/<server>')
    .option('--tokens <file>', `tokens of clients (default: those of \`${ownCommand} token\`)`)
    .option('--jwt-issuer <url>', 'accept access tokens (JWT) of this issuer')
    .option('--jwt-audience <uri>', 'audience of access tokens (default: /mcp of --public-url)')
    .option('--jwks <url>', 'keys of the issuer (default: from its metadata)')
    .option('--jwt-any-scope', 'accept access tokens without a scope for every server')
    .option('--tls-cert <file>', 'certificate for HTTPS, in PEM; reloaded when it changes')
    .option('--tls-key <file>', 'key of the certificate')
    .option('--behind-proxy', 'expect a proxy that terminates TLS; needs --public-url')
    .option('--public-url <url>', 'URL that clients use; requests for other hosts are refused')
    .option('--allow-origin <origin>', 'allow web pages of this origin; repeatable', collect)
    .option('--drain <time>', 'limit for pending requests when the host stops (default: 10s)', durationOf('--drain'));
  addJoinOptions(command);
  command.addHelpText(
    'after',
    `
Other commands find the running host by its config and use its servers. A
change of the config restarts only the servers that it concerns.

With --join the host is a node of a fleet, named by --node (default: the name
of the machine). A node needs no config: it runs what the fleet places on it.`,
  );
  examples(
    command,
    'up',
    'up --config examples/mcp.json --open',
    'up --background --idle 10m',
    'up --record session.jsonl',
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
      hint: 'Clients over HTTP have no connection that shows that they are there.',
    });
  }
  if (given.record === undefined && (given.maxFileBytes ?? given.maxFiles) !== undefined) {
    throw new UsageError('INVALID_OPTION', '--max-file-bytes and --max-files need --record', {
      hint: 'Name the file to record to: --record session.jsonl.',
    });
  }
  if (invocation.settings.shared && readJoinOptions(given)) {
    throw new UsageError('NOT_SUPPORTED', '--shared cannot be used with --join', {
      hint: 'The servers that clients bring along belong to this machine.',
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
    throw new UsageError('HOST_ALREADY_RUNNING', 'A host for this config or node is running already', {
      hint: `Use it (\`${ownCommand} ls\`), or stop it first (\`${ownCommand} down\`). A second one needs another config; a node without a config needs another name.`,
    });
  }
  const { pid, log, stop, text } = started;
  if (out.json) out.document({ pid, log, stop });
  else out.say(`Standpipe ${text}`);
  return ExitCode.done;
}

/** The same command, in the foreground of a process of its own. */
function wordsOfHost(words: readonly string[]): string[] {
  const others = words.filter((word, at) => !word.startsWith('--config') && words[at - 1] !== '--config');
  return others.filter((word) => !['up', '--background', '--json'].includes(word));
}
