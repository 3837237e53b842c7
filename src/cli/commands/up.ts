// `standpipe up`: runs the servers of the config until Ctrl-C, which is the usual end, with exit code 0. With `--background` it
// starts the same command in a process of its own, and ends when that serves.

import { Option } from 'commander';
import { describeError } from '../../base/error-json.ts';
import { UsageError } from '../../base/errors.ts';
import { reportStart } from '../../process/launch/start-detached.ts';
import { ExitCode } from '../exit-code.ts';
import { addJoinOptions, readJoinOptions, settingsOfNode } from '../fleet/join-options.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { durationOf } from '../settings.ts';
import type { UpOptions } from '../up/run-host.ts';
import { collect, examples, readCount, readPort } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .option('--no-watch', 'do not watch the config for changes')
    .option('--no-inspector', 'do not start the Inspector')
    .option('--open', 'open the Inspector in a browser')
    .option('--inspector-port <number>', 'first port to try for the Inspector', readPort)
    .option('--http <[host:]port>', 'serve the servers to MCP clients over HTTP: /mcp all of them, /mcp/<server> one')
    .option(
      '--tokens <file>',
      'tokens of the clients over HTTP (default: those of `standpipe token`, if there are any)',
    )
    .option('--jwt-issuer <url>', 'accept access tokens (JWT) of this issuer from clients over HTTP')
    .option('--jwt-audience <uri>', 'the audience that these must have (default: /mcp of --public-url)')
    .option('--jwks <url>', 'the keys of the issuer (default: found by its metadata)')
    .option('--jwt-any-scope', 'these need no scope: each may use every server')
    .option('--tls-cert <file>', 'certificate for HTTPS, in PEM; read again when it changes')
    .option('--tls-key <file>', 'its key')
    .option('--behind-proxy', 'TLS is ended by a proxy, which passes requests on; needs --public-url')
    .option(
      '--public-url <url>',
      'the URL that clients use, such as https://gateway.example.org; other hosts are refused',
    )
    .option(
      '--allow-origin <origin>',
      'web pages of this origin may use the servers; repeatable (default: none)',
      collect,
    )
    .option(
      '--drain <duration>',
      'how long requests over HTTP and calls of other nodes may take to end when the host stops (default: 10s)',
      durationOf('--drain'),
    )
    .option('--record <file>', 'record all traffic of servers and clients to this file')
    .option('--max-file-bytes <number>', 'size at which the recording is rotated', readCount)
    .option('--max-files <number>', 'maximum number of files of a recording', readCount)
    .option('--background', 'return when the host runs; `standpipe down` stops it')
    .option('--idle <duration>', 'end when no program was connected for so long: 30s, 10m', durationOf('--idle'))
    .option('--on-demand', 'start a server at its first use, not with the host')
    .addOption(new Option('--log <file>', 'the file that stdout and stderr are').hideHelp());
  addJoinOptions(command);
  command.addHelpText(
    'after',
    `
Other commands find the running host by its config and use its servers. A change of the config starts, stops or
restarts only the servers it concerns. With --background the host writes its log to a file, whose name is printed.
With --join the host is a node of a fleet. --node NAME is its name (default: that of the machine). It needs no config: it
then runs what the fleet places on it. While NATS is away, it serves the servers of its config; it joins when NATS is
there. Two nodes on one machine need different names, and different configs if any.`,
  );
  examples(
    command,
    'up',
    'up --config examples/mcp.json',
    'up --http 8080',
    'up --http 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --public-url https://gateway.example.org:8443',
    'up --http 8080 --behind-proxy --public-url https://gateway.example.org --jwt-issuer https://login.example.org',
    'up --record session.jsonl',
    'up --background --idle 10m',
    'up --json | jq .',
    'up --join nats://127.0.0.1 --node one --labels gpu,eu',
  );
  command.action(run(up));
};

const up: CommandBody = async (invocation, _words, options) => {
  if (invocation.serverCommand) {
    throw new UsageError('NOT_SUPPORTED', 'up runs the servers of a config, not a command', {
      hint: 'Add one with `standpipe add`, or use `standpipe call … -- <command …>`.',
    });
  }
  const given = options as unknown as UpOptions & { background?: boolean };
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
      hint: 'Use it (`standpipe ls`), or stop it first (`standpipe down`). A second one needs another config; a node without a config needs another name.',
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
