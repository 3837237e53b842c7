// `standpipe config`: shows the config files, their servers and their problems. Secrets are not shown.

import { commandLine } from '../../../base/command-line.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { ConfigFile } from '../../../config/config-file.ts';
import { describeConfig, type ServerDescription } from '../../../config/describe-config.ts';
import { surveyConfig } from '../../../config/files/load-config.ts';
import { hostPrograms } from '../../../config/hosts/host-programs.ts';
import { type ConfigProblem, type Position, problemText } from '../../../config/problem.ts';
import { checkOnSystem } from '../../../config/read/check-entry.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { printRows, type Row, shownPath } from '../output/table.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  examples(command, 'config', 'config --discover', 'config --config other/mcp.json --json');
  command.action(run(config));
};

const config: CommandBody = async ({ settings, out }) => {
  const { config: file, discover } = settings;
  const description = describeConfig(await surveyConfig({ file, discover, checkEntry: checkOnSystem }));
  const { files, servers, shadowed, problems } = description;
  const failed = problems.some(({ severity }) => severity === 'error');
  if (out.json) out.document(description);
  else {
    for (const file of files)
      out.say(out.paintError('dim', `${visibleLine(shownPath(file.file, out))} (${ownerOf(file)})`));
    printRows(
      out,
      ['SERVER', 'STATUS', 'SPEAKS', 'COMMAND OR URL', 'ENV OR HEADERS', 'FROM'],
      servers.map((server) => toRow(server, out)),
    );
    for (const { name, source, by } of shadowed) {
      const place = ({ file, line }: Position) => visibleLine(`${file}:${line}`);
      out.say(`"${visibleLine(name)}" in ${place(source)} is overridden by ${place(by)}`);
    }
  }
  for (const problem of problems) out.tell(problem.severity, describeProblem(problem));
  if (!out.json && problems.length === 0) {
    out.say(servers.length > 0 ? 'No problems found.' : 'The config has no servers.');
  }
  return failed ? ExitCode.usage : ExitCode.done;
};

/** Describes the source of a server, for example as `Cursor, project`. */
function ownerOf({ origin, scope }: Pick<ConfigFile, 'origin' | 'scope'>): string {
  const host = hostPrograms.find(({ id }) => id === origin);
  return host ? `${host.title}, ${scope}` : origin;
}

function toRow(server: ServerDescription, out: Output): Row {
  const from = `${shownPath(server.source.file, out)}:${server.source.line}`;
  if (server.status === 'rejected') {
    return [server.name, { text: server.status, colour: 'red' }, '', server.message, '', from];
  }
  const { name, status, protocol } = server;
  const colour = status === 'enabled' ? 'green' : 'dim';
  const [target, values] =
    server.url === undefined ? [commandLine(server.command, server.args), server.env] : [server.url, server.headers];
  return [name, { text: status, colour }, protocol, target, Object.keys(values).join(','), from];
}

function describeProblem(problem: ConfigProblem): string {
  const hint = problem.suggestion ? ` ${visibleLine(problem.suggestion)}` : '';
  return `${visibleLine(problemText(problem))}.${hint}`;
}
