// `standpipe verify`: sends the requests of a recording again and compares the answers.

import { Option } from 'commander';
import type { ServerConfig } from '../../../config/server-config.ts';
import { revisionsOfMcp } from '../../../mcp/revisions.ts';
import type { SetValue, VerifyOptions, VerifyTarget } from '../../../observe/verify/options.ts';
import { isVerifyFailure, type VerifyReport } from '../../../observe/verify/report.ts';
import { readNamedCall } from '../check/named-call.ts';
import { checkReportFiles, saveFiles } from '../check/report-files.ts';
import { configEntry } from '../check/target.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, durationOf, type Invocation, invalidOption } from '../invocation.ts';
import { recordingFile } from '../servers/recording-file.ts';
import { givenServer, type ServerCommandOptions } from '../servers/server-command.ts';
import { isAddress } from '../usage-error.ts';
import { addAddressOptions, collect, help } from './server-options.ts';

interface Options extends ServerCommandOptions {
  server?: string;
  learn?: boolean;
  update?: boolean;
  allowCalls?: string[];
  rules?: string;
  rule?: string[];
  set?: string[];
  strict?: boolean;
  slowerFactor?: number;
  slowerBy?: number;
  junit?: string;
  html?: string;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] <file> [server] | <file> -- <command …>')
    .argument('<recording>', 'file, or name of a kept recording')
    .argument('[server]', 'name of a server in the config, or a URL')
    .option('--server <name>', 'server of the recording (default: the only one)')
    .option('--learn', 'run twice, and write rules for values that vary')
    .option('--update', 'write the new answers into the recording')
    .option('--allow-calls <call>', `allow calls of a tool: name, name={"a":1} or '*'; repeatable`, collect)
    .option('--rule <rule>', "accept values that vary: 'timestamp result.time'; repeatable", collect)
    .option('--rules <file>', 'file of the rules (default: <recording>.rules.json)')
    .option('--set <path=value>', 'send this value in place of a hidden one; repeatable', collect)
    .option('--strict', 'also fail on fixed, slower and skipped requests')
    .option('--slower-factor <factor>', 'report answers that take this many times as long (default: 2)', readFactor)
    .option('--slower-by <time>', 'and longer by this time (default: 500ms)', durationOf('--slower-by'))
    .option('--junit <file>', 'write a JUnit XML report')
    .option('--html <file>', 'write an HTML report')
    .option('--env <name=value>', 'set an environment variable; repeatable', collect)
    .option('--cwd <folder>', 'working folder')
    .addOption(
      new Option('--revision <date>', 'use this MCP revision (default: the recorded one)').choices(revisionsOfMcp),
    );
  addAddressOptions(command);
  help(
    command,
    `Requests are sent in the recorded order, one after the other. Tools are called
only if they are marked as read-only (readOnlyHint), or named by --allow-calls.
--timeout limits each answer (default: 60s, or twice the recorded time).

A rule is a shape and a path, and optionally the requests it is about:
'tools/call now: timestamp result.content.*.text'. Shapes: uuid, timestamp,
duration, id, number, order, text, ignore.

Exit code: 0 the answers are the same, 1 some differ or fail now, 2 the command
line is wrong, 3 the server cannot be started.`,
    'verify session.jsonl -- node server.mjs',
    'verify session.jsonl --learn -- node server.mjs',
    'verify session.jsonl weather --junit verify.xml --html verify.html',
    "verify a.jsonl https://example.com/mcp --header 'X-Key: ${KEY}'",
    "verify session.jsonl --allow-calls 'write_*' -- node server.mjs",
    "verify a.jsonl --set 'arguments.token=${TOKEN}' -- node server.mjs",
    'verify session.jsonl --update -- node server.mjs',
  );
  command.action(run(verifyFile));
};

const verifyFile: CommandBody = async (invocation, [file, server], options) => {
  const given = options as Options;
  await checkReportFiles(given);
  const { out } = invocation;
  const target = await targetOf(invocation, server, given);
  const report = await runVerify(invocation, recordingFile(file!), target, given);
  const { strict = false, junit, html } = given;
  const saved = await saveFiles([
    [junit, async () => (await import('../../../observe/verify/junit.ts')).verifyJunit(report, strict)],
    [html, async () => (await import('../../../observe/verify/html.ts')).verifyHtml(report, strict)],
  ]);
  for (const each of saved) out.say(`Saved ${each}`);
  if (out.json) out.document(report);
  else {
    const { verifyText } = await import('../../../observe/verify/text.ts');
    out.write(verifyText(report, { paint: out.paint, verbose: invocation.settings.verbose === true }));
  }
  return report.results.some((result) => isVerifyFailure(result, strict)) ? ExitCode.ruleViolated : ExitCode.done;
};

async function runVerify(
  { out, settings, signal }: Invocation,
  file: string,
  target: VerifyTarget,
  given: Options,
): Promise<VerifyReport> {
  const { verify } = await import('../../../observe/verify/verify.ts');
  const { server, learn, update, rules, rule, slowerFactor, slowerBy, revision } = given;
  const options: VerifyOptions = {
    ...{ server, learn, update, signal, slowerFactor, revision },
    rulesFile: rules,
    rules: rule,
    slowerByMs: slowerBy,
    timeoutMs: settings.timeoutMs,
    allowCalls: given.allowCalls?.map((text) => readNamedCall('--allow-calls', text)),
    set: given.set?.map(readSet),
    onResult: ({ method, target }, done, of) => {
      const message = `${done}/${of} ${method}${target === undefined ? '' : ` ${target}`}`;
      out.activity.progress({ progress: done, total: of, message });
    },
  };
  out.activity.begin('verifying the recording');
  try {
    return await verify(file, target, options);
  } finally {
    out.activity.end();
  }
}

/** The server is started for this command alone, like that of `check`: a recording begins with a new process. */
async function targetOf(invocation: Invocation, name: string | undefined, given: Options): Promise<VerifyTarget> {
  const { serverCommand, settings } = invocation;
  const isUrl = name !== undefined && isAddress(name);
  if (name !== undefined && (serverCommand || given.url !== undefined)) {
    throw invalidOption('verify takes one server', 'Give a name, a URL, or a command after --.');
  }
  const options = isUrl ? { ...given, url: name } : given;
  const config =
    isUrl || name === undefined ? await givenServer(invocation, options) : await configEntry(name, settings);
  if (!config)
    throw invalidOption('No server was given', 'verify session.jsonl -- <command …>, or verify session.jsonl <server>');
  return connectTarget(config);
}

async function connectTarget(config: ServerConfig): Promise<VerifyTarget> {
  const [{ secretsOf }, { isOfFleet }] = await Promise.all([
    import('../../../config/secrets-of-server.ts'),
    import('../../../config/server-config.ts'),
  ]);
  const { name, maxFrameBytes, maxFrameValues } = config;
  if (config.protocol === 'litemcp')
    throw invalidOption(`${name} uses LiteMCP`, 'Only recordings of MCP can be verified.');
  if (isOfFleet(config)) throw invalidOption(`${name} belongs to a fleet`, 'Give its command after --, or its URL.');
  const wire = { secrets: secretsOf(config).secrets, maxFrameBytes, maxFrameValues };
  if (config.url !== undefined) {
    const { certificatesIn } = await import('../../../host/supervision/open-server.ts');
    const { url, headers, transport, oauth, ca } = config;
    return { ...wire, url, headers, transport, auth: oauth, ca: await certificatesIn(ca) };
  }
  const { command, args, env, cwd, stop, framing } = config;
  if (framing !== undefined && framing !== 'newline') {
    throw invalidOption(`${name} uses the framing ${framing}`, 'MCP over stdio separates messages by newlines.');
  }
  return { ...wire, command, args, env, cwd, stopWaits: stop, stderr: 'ignore' };
}

/** `${VAR}` in the value is expanded here, so that a secret is not a word of the command line. */
function readSet(text: string): SetValue {
  const [, path, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw invalidOption(
      `--set cannot be "${text}"`,
      'Write a path in the parameters and a value: arguments.token=secret',
    );
  }
  return { path, value: value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => variable(name)) };
}

function variable(name: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw invalidOption(`The variable ${name} is not set`, `Set it, or write the value: --set path=value`);
}

function readFactor(text: string): number {
  const factor = Number(text);
  if (factor >= 1 && factor <= 1_000_000) return factor;
  throw invalidOption(`--slower-factor cannot be "${text}"`, 'Write a number from 1.');
}
