// `standpipe tools`: lists tools and their arguments.

import { StandpipeError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { problemError } from '../../../config/problem.ts';
import { catalogOf, type Offer } from '../../../host/services/catalog.ts';
import type { Tool } from '../../../mcp/types.ts';
import { ExitCode } from '../exit-code.ts';
import { addFleetOptions } from '../fleet/fleet-options.ts';
import { type CommandBody, type CommandModule, type Invocation, invalidOption, type Settings } from '../invocation.ts';
import { besideResult } from '../output/content.ts';
import type { Output } from '../output/output.ts';
import { causeOf, describing, printRows } from '../output/table.ts';
import { findServer } from '../servers/find-server.ts';
import { rememberOffers } from '../servers/find-tool-by-name.ts';
import { type Reached, whyItFailed, withHost } from '../servers/reach-host.ts';
import { reportWarnings } from '../servers/server-reports.ts';
import { errorDocument } from '../show-error.ts';
import { describeParameters } from '../values/check.ts';
import { addAddressOptions, addServerOptions, examples, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[server]', 'list only the tools of this server')
    .option('--signatures', 'print signatures: add(a: number, b?: number)')
    .option('--cost', 'print what each definition costs a model: tokens and bytes')
    .option('--recording <file>', 'with --cost: the tools and results of a recording');
  addFleetOptions(addAddressOptions(addServerOptions(command)));
  examples(
    command,
    'tools',
    'tools weather',
    'tools weather --signatures',
    'tools --cost',
    'tools --cost --recording session.jsonl',
    'tools --json',
    'tools -- python3 server.py',
    'tools http://127.0.0.1:3000/mcp',
  );
  command.action(run(tools));
};

interface Found {
  tools: Offer<Tool>[];
  failed: { server: string; error: Error }[];
}

interface ToolsOptions {
  signatures?: boolean;
  cost?: boolean;
  recording?: string;
}

const tools: CommandBody = (invocation, [name], options) => {
  const { recording, cost } = options as ToolsOptions;
  if (recording === undefined) return ofServers(invocation, name, options);
  if (cost) return ofRecording(invocation.out, recording, name);
  throw invalidOption('--recording needs --cost', 'Other commands for recordings: `standpipe show`, `diff`, `replay`.');
};

async function ofRecording(out: Output, file: string, server: string | undefined): Promise<number> {
  const [{ RecordedSession }, { recordedCost, showCost }] = await Promise.all([
    import('../../../observe/replay/recorded-session.ts'),
    import('../output/tool-cost.ts'),
  ]);
  const session = RecordedSession.open(file, { server });
  try {
    const report = await recordedCost(session, server ?? '');
    if (out.json) out.document(report);
    else showCost(report, out);
    return ExitCode.done;
  } finally {
    await session.close();
  }
}

const ofServers = (invocation: Invocation, name: string | undefined, options: Record<string, unknown>) =>
  withHost(invocation, serverOptions(options), async (reached) => {
    const { out, settings } = invocation;
    out.activity.begin('listing tools');
    const given = name ?? reached.only;
    const server = given === undefined ? undefined : (await findServer(given, reached, settings)).name;
    const { tools, failed } = server === undefined ? await all(reached, settings, out) : await one(reached, server);
    out.activity.end();
    rememberOffers(reached.remember, tools);
    const asked = server === undefined ? [...new Set(tools.map((offer) => offer.server))] : [server];
    const warned = await reportWarnings(reached.host, asked, out);
    const { signatures, cost } = options as ToolsOptions;
    if (cost) {
      const { costReport, showCost } = await import('../output/tool-cost.ts');
      const report = costReport(tools);
      if (out.json) {
        out.document({
          ...report,
          failed: failed.map(({ server, error }) => ({ server, error: errorDocument(error) })),
        });
      } else showCost(report, out);
    } else if (out.json) {
      out.document({
        tools: tools.map(({ definition, ...offer }) => besideResult(definition, offer)),
        failed: failed.map(({ server, error }) => ({ server, error: errorDocument(error) })),
        ...warned,
      });
    } else if (signatures) {
      const { signatureOf } = await import('./types.ts');
      for (const { server, definition } of tools) {
        out.write(`${visibleLine(server)}/${visibleLine(signatureOf(definition))}\n`);
      }
    } else show(tools, out, out.onTerminal && server !== undefined);
    for (const { server, error } of failed) {
      const hint = error instanceof StandpipeError && error.hint ? ` ${visibleLine(error.hint)}` : '';
      const message = visibleLine(causeOf(error.message)).replace(/\.$/, '');
      out.say(`${out.paintError('red', `${visibleLine(server)} could not be queried:`)} ${message}.${hint}`);
    }
    return failed.length > 0 ? ExitCode.server : ExitCode.done;
  });

/** An entry that cannot be used is listed as failed, like a server that does not start. A file that cannot be read is only reported. */
async function all(reached: Reached, settings: Settings, out: Output): Promise<Found> {
  const { rejectedEntries, tellRejected } = await import('../servers/find-server.ts');
  const [{ offers: tools, failed }, rejected] = await Promise.all([
    reached.host.tools(),
    rejectedEntries(reached, settings),
  ]);
  tellRejected(
    rejected.filter(({ server }) => server === undefined),
    out,
  );
  const unusable = rejected.flatMap((problem) =>
    problem.server === undefined ? [] : { server: problem.server, error: problemError(problem) },
  );
  const unreached = failed.map(({ server, error }) => ({ server, error: whyItFailed(error) }));
  return { tools, failed: [...unreached, ...unusable] };
}

async function one({ host }: Reached, server: string): Promise<Found> {
  const { tools } = await host.client(server).listTools();
  return { tools: catalogOf(new Map([[server, tools]]), ({ name }) => name), failed: [] };
}

/** `isKnown`: the user named the server, so its column is left out. */
function show(tools: readonly Offer<Tool>[], out: Output, isKnown: boolean): void {
  printRows(
    out,
    [...(isKnown ? [] : ['SERVER']), 'TOOL', 'ARGUMENTS', 'DESCRIPTION'],
    tools.map(({ server, name, sharedWith, definition }) => [
      ...(isKnown ? [] : [server]),
      { text: name, colour: sharedWith.length > 0 ? 'yellow' : 'cyan' },
      describeParameters(definition.inputSchema),
      describing(definition.description ?? definition.title ?? ''),
    ]),
  );
  if (tools.length === 0) out.say('There are no tools.');
  const shared = [...new Set(tools.filter(({ sharedWith }) => sharedWith.length > 0).map(({ name }) => name))];
  if (shared.length > 0) {
    out.say(`Several servers have ${shared.map(visibleLine).join(', ')}: call them as server/tool.`);
  }
}
