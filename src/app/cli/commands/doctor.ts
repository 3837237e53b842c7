// `standpipe doctor`: checks what usually prevents servers from running, and prints each finding with its fix.

import { counted } from '../../../base/terminal/counted.ts';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import type { RejectedServer } from '../../../config/config-file.ts';
import { surveyConfig } from '../../../config/files/load-config.ts';
import type { ConfigProblem } from '../../../config/problem.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { examineHost, examineOrphans, examineRuntime, examineTokens } from '../doctor/examine-runtime.ts';
import { type ExaminedServer, examineServers } from '../doctor/examine-servers.ts';
import { examineDisks, examineNode, examinePath, examineProxies, findRunners } from '../doctor/examine-system.ts';
import { type Finding, maskerFor } from '../doctor/finding.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, CommandModule, Invocation, Settings } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { printRows } from '../output/table.ts';
import { help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.argument('[config]', 'config file (default: that of this folder)');
  help(
    command,
    `Starts each enabled server once, and stops it. A server that a running host has
ready is not started again. Values of variables, other secrets and the path of
the home folder are hidden, so that the report can be published.
The exit code is 1 if there is a problem. Warnings do not count.`,
    'doctor',
    'doctor other/mcp.json',
    'doctor --discover --timeout 10s',
    'doctor --json',
  );
  command.action(run(doctor));
};

const doctor: CommandBody = async (invocation, [file]) => {
  const { out } = invocation;
  const settings = file === undefined ? invocation.settings : { ...invocation.settings, config: file };
  const { report, findings } = await examine({ ...invocation, settings });
  if (out.json) out.document({ ...report, findings, ...countsOf(findings) });
  else print(report, findings, out);
  return countsOf(findings).problems > 0 ? ExitCode.problemFound : ExitCode.done;
};

type Report = Awaited<ReturnType<typeof examine>>['report'];

async function examine(invocation: Invocation) {
  const { settings } = invocation;
  const config = await surveyConfig({ file: settings.config, discover: settings.discover });
  const { servers } = config;
  const mask = maskerFor(servers);
  const runtime = await examineRuntime();
  const host = await examineHost(settings);
  const proxies = examineProxies(servers);
  const disks = await examineDisks();
  const examined = await examineServers(servers, host.running, invocation);
  const findings: Finding[] = [
    ...examineNode(),
    ...config.problems.map((problem) => configFinding(problem, settings)),
    ...examined.findings,
    ...examinePath(servers),
    ...host.findings,
    ...runtime.findings,
    ...examineOrphans(),
    ...examineTokens(),
    ...proxies.findings,
    ...disks.findings,
  ];
  const report = {
    version: ownInfo.version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    files: config.files.map((each) => each.file),
    servers: [...examined.servers, ...config.rejected.map(rejectedServer)],
    runners: findRunners(servers),
    live: runtime.live,
    proxies: proxies.proxies,
    disks: disks.disks,
  };
  return { report: mask(report), findings: mask(findings) };
}

function rejectedServer({ name, source: { file, line } }: RejectedServer): ExaminedServer {
  return { name, place: `${file}:${line}`, state: 'rejected' };
}

/** A folder without a config is not a problem, unless the config was named. */
function configFinding(
  { severity, code, server, file, line, message, suggestion }: ConfigProblem,
  settings: Settings,
): Finding {
  const isAbsent = code === 'CONFIG_NOT_FOUND' && settings.config === undefined;
  return {
    level: severity === 'error' && !isAbsent ? 'problem' : 'warning',
    topic: 'config',
    code,
    server,
    ...(code !== 'CONFIG_NOT_FOUND' && { place: `${file}:${line}` }),
    message,
    fix: suggestion,
  };
}

function countsOf(findings: readonly Finding[]): { problems: number; warnings: number } {
  const problems = findings.filter(({ level }) => level === 'problem').length;
  return { problems, warnings: findings.length - problems };
}

/** The whole report is the result, so all of it is on stdout. */
function print(report: Report, findings: readonly Finding[], out: Output): void {
  const { version, node, platform, files, servers, runners, live, proxies, disks } = report;
  const line = (text: string) => out.write(`${visibleLine(text)}\n`);
  line(`standpipe ${version}, Node.js ${node}, ${platform}`);
  for (const file of files) line(`config: ${file}`);
  for (const { name, file } of runners) line(`${name}: ${file ?? 'not found'}`);
  for (const { kind, name, pid, startedAt } of live) line(`running ${kind}: ${name}, pid ${pid}, since ${startedAt}`);
  for (const [name, address] of Object.entries(proxies)) line(`${name}: ${address}`);
  for (const { folder, freeBytes } of disks) line(`free for ${folder}: ${megabytes(freeBytes)}`);
  if (servers.length > 0) out.write('\n');
  printRows(
    out,
    ['SERVER', 'STATE', 'READY AFTER', 'MEMORY'],
    servers.map(({ name, state, readyAfterMs, residentBytes }) => [
      name,
      {
        text: state,
        colour: state === 'failed' || state === 'rejected' ? 'red' : state === 'disabled' ? 'dim' : 'green',
      },
      readyAfterMs === undefined ? '-' : `${readyAfterMs} ms`,
      residentBytes === undefined ? '-' : megabytes(residentBytes),
    ]),
  );
  for (const finding of findings) printFinding(finding, out);
  const { problems, warnings } = countsOf(findings);
  const summary = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`;
  out.write(findings.length === 0 ? '\nNo problems found.\n' : `\n${summary}\n`);
}

function printFinding({ level, server, place, message, fix, evidence = [] }: Finding, out: Output): void {
  const where = [place, server === undefined ? undefined : `server "${server}"`].filter((each) => each !== undefined);
  const word = out.paint(level === 'problem' ? 'red' : 'yellow', `${level}:`);
  out.write(`\n${word} ${visibleIndented([...where, message].join(': '))}\n`);
  for (const line of evidence) out.write(out.paint('dim', `  ${visibleLine(line)}\n`));
  if (fix !== undefined) out.write(`  ${out.paint('cyan', 'fix:')} ${visibleIndented(fix)}\n`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
