// `standpipe replay`: a recorded server as an MCP server, over stdio or HTTP.

import { constants } from 'node:os';
import { Writable } from 'node:stream';
import { visible, visibleLine } from '../../../base/terminal/visible.ts';
import type { RecordedExit } from '../../../observe/replay/recorded-exchange.ts';
import type { ReplayService } from '../../../observe/replay/replay-service.ts';
import { endLike } from '../../../observe/tap/pass-signals.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { recordingFile } from '../servers/recording-file.ts';
import { collect, help, readPort } from './server-options.ts';

interface Options {
  server?: string;
  strict?: boolean;
  pace?: number | 'recorded' | 'fast';
  fault?: string[];
  http?: number;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('<recording>', 'file, or name of a kept recording')
    .option('--server <name>', 'server to replay (default: the only one)')
    .option('--strict', 'accept requests only in the recorded order')
    .option('--pace <pace>', 'recorded, fast or a factor: 2 is twice as fast (default: fast)', readPace)
    .option('--fault <fault>', "fail on demand: 'tools/call search: delay 5s'; repeatable", collect)
    .option('--http <port>', 'serve over HTTP on this port; 0 is any', readPort);
  help(
    command,
    `A request gets the answer that was recorded for the same method and parameters.
Repeated requests get the recorded answers in order, then the last one.

Actions of --fault: delay TIME, timeout, error CODE [MESSAGE], drop, exit CODE,
garbage. * is a wildcard in method and target.`,
    'replay session.jsonl',
    'replay session.jsonl --server weather --http 8080',
    "replay session.jsonl --fault 'tools/call *: error -32603'",
  );
  command.action(run(replayFile));
};

const replayFile: CommandBody = async ({ out, signal }, [file], options) => {
  const { server, strict, pace, fault: faults, http } = options as Options;
  if (http !== undefined && faults?.some((each) => /:\s+garbage\s*$/.test(each))) {
    throw invalidOption('The fault "garbage" needs stdio', 'Leave out --http.');
  }
  const { replay } = await import('../../../observe/replay/replay-service.ts');
  const output = passedOn(process.stdout);
  const ended = new Ended();
  const recorded = replay(recordingFile(file!), {
    ...{ server, strict, pace, faults },
    onExit: (exit) => ended.end(exit ?? { exitCode: ExitCode.server, signal: null }),
    onStderr: (text) => process.stderr.write(shownOn(process.stderr, text)),
    ...(http === undefined && { onNoise: (text) => written(output, shownOn(process.stdout, text)) }),
  });
  signal.addEventListener('abort', () => ended.end(undefined), { once: true });
  try {
    await Promise.race([recorded.session.opening(), ended.ending]); // reports an unusable file before a client connects
    void recorded.session.read().then(
      async () => {
        const damage = await recorded.session.damage();
        if (damage !== undefined) out.tell('warning', visibleLine(damage));
      },
      (error: unknown) => ended.fail(error),
    );
    return await (http === undefined ? overStdio(recorded, output, ended) : overHttp(recorded, http, out, ended));
  } finally {
    await recorded.close();
  }
};

async function overStdio(recorded: ReplayService, output: Writable, ended: Ended): Promise<number> {
  const [{ serve }, { StdioServerTransport }] = await Promise.all([
    import('../../../mcp/adapter/client-adapters.ts'),
    import('../../../wire/transport/stdio-server.ts'),
  ]);
  const adapter = await serve(recorded, new StdioServerTransport(process.stdin, output));
  void adapter.closed
    .then(() => Promise.all([recorded.session.read(), recorded.finish()]))
    .then(
      ([{ lastExit }]) => ended.end(lastExit),
      (error: unknown) => ended.fail(error),
    );
  const exit = await ended.ending;
  await adapter.close();
  if (!exit) return ExitCode.done;
  if (exit.signal !== null) return byTheSignal(exit.signal);
  return exit.exitCode ?? ExitCode.done;
}

async function overHttp(recorded: ReplayService, port: number, out: Output, ended: Ended): Promise<number> {
  const { serveHttp } = await import('../../../host/gateway/http/serve-http.ts');
  const serving = await serveHttp(recorded, { port });
  const { url, token } = serving;
  if (out.json) out.document({ url, token });
  else out.write(`${url}\nAuthorization: Bearer ${token}\n`);
  try {
    return (await ended.ending)?.exitCode ?? ExitCode.done;
  } finally {
    await serving.close();
  }
}

/** The end of the replayed server, which happens once. */
class Ended {
  /** The exit to repeat; undefined if the server was stopped. */
  readonly ending: Promise<RecordedExit | undefined>;
  end!: (exit: RecordedExit | undefined) => void;
  fail!: (error: unknown) => void;

  constructor() {
    this.ending = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
    this.ending.catch(() => undefined); // may reject before anything awaits it
  }
}

/** A stream of its own, because the transport reserves stdout for messages and recorded output is more than messages. */
function passedOn(stdout: Writable): Writable {
  return new Writable({ write: (chunk, _encoding, done) => void stdout.write(chunk, done) });
}

/** A recording is data: on a terminal it cannot send escape sequences. A host that started the command gets every byte. */
function shownOn({ isTTY }: { isTTY?: boolean }, text: string): string {
  return isTTY ? visible(text) : text;
}

/** After the messages of this turn, which the transport writes together. */
async function written(output: Writable, text: string): Promise<void> {
  await new Promise(setImmediate);
  output.write(`${text}\n`);
}

/** Signals that would stop this process until somebody continues it. No process exits by them. */
const stopping: ReadonlySet<string> = new Set(['SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU']);

/** A signal that cannot end this process becomes the exit code of a shell. */
function byTheSignal(signal: string): Promise<never> {
  const isKnown = Object.hasOwn(constants.signals, signal) && !stopping.has(signal);
  endLike(isKnown ? { exitCode: null, signal: signal as NodeJS.Signals } : { exitCode: 128, signal: null });
  return new Promise(() => undefined);
}

function readPace(text: string): Options['pace'] {
  if (text === 'recorded' || text === 'fast') return text;
  const factor = Number(text);
  if (factor > 0 && factor <= 1_000_000) return factor;
  throw invalidOption(`--pace cannot be "${text}"`, 'Write recorded, fast or a factor: 2 is twice as fast.');
}
