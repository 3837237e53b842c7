// `standpipe replay`: a recorded server as an MCP server, over stdio or HTTP.

import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { systemClock } from '../../../base/clock.ts';
import { compose } from '../../../mcp/layers/layer.ts';
import type { RecordedExit } from '../../../observe/replay/recorded-exchange.ts';
import { untilAborted } from '../exit-code.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
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
    .argument('<file>', 'recording')
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
  const { server, strict, pace, fault = [], http } = options as Options;
  const [{ replay }, { faultLayer, parseFault }] = await Promise.all([
    import('../../../observe/replay/replay-service.ts'),
    import('../../../observe/replay/faults.ts'),
  ]);
  const faults = fault.map(parseFault);
  if (http !== undefined && faults.some(({ action }) => action.kind === 'garbage')) {
    throw invalidOption('The fault "garbage" needs stdio', 'Leave out --http.');
  }
  let end: (code: number) => void = () => undefined;
  const over = new Promise<number>((resolve) => {
    end = resolve;
  });
  const onExit = (exit: RecordedExit | undefined) => end(codeOf(exit));
  const recorded = replay(file!, { server, strict, pace, onExit, onStderr: (text) => process.stderr.write(text) });
  await recorded.describe(); // a file that cannot be used is reported before a client connects
  const garbage = () => writeSync(1, 'this is not a message\n');
  const service = compose(
    recorded,
    faultLayer(faults, systemClock, { exit: end, ...(http === undefined && { garbage }) }),
  );
  try {
    if (http === undefined) {
      const { serveStdio } = await import('../../../connect/serve-stdio.ts');
      const adapter = await serveStdio(service, { exitOnEnd: false });
      const left = adapter.closed.then(() => recorded.session.read()).then(() => codeOf(recorded.session.lastExit));
      const code = await Promise.race([over, left, untilAborted(signal).then(() => 0)]);
      await adapter.close();
      return code;
    }
    const { serveHttp } = await import('../../../host/gateway/http/serve-http.ts');
    const serving = await serveHttp(service, { port: http });
    if (out.json) out.document({ url: serving.url, token: serving.token });
    else out.write(`${serving.url}\nAuthorization: Bearer ${serving.token}\n`);
    const code = await Promise.race([over, untilAborted(signal).then(() => 0)]);
    await serving.close();
    return code;
  } finally {
    await recorded.close();
  }
};

/** Returns the exit code as a shell reports it: for a signal, 128 plus its number. */
function codeOf(exit: RecordedExit | undefined): number {
  if (!exit) return 0;
  return exit.exitCode ?? 128 + (constants.signals[exit.signal as NodeJS.Signals] ?? 0);
}

function readPace(text: string): Options['pace'] {
  if (text === 'recorded' || text === 'fast') return text;
  const factor = Number(text);
  if (factor > 0 && factor <= 1_000_000) return factor;
  throw invalidOption(`--pace cannot be "${text}"`, 'Write recorded, fast or a factor: 2 is twice as fast.');
}
