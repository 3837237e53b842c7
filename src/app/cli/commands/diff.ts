// `standpipe diff`: what differs between two recordings of a server.

import type { Paint } from '../../../base/terminal/colours.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { DefinitionChange } from '../../../mcp/definition-change.ts';
import type { CallSide, ComparedCall, SessionDiff } from '../../../observe/replay/diff-sessions.ts';
import { shownValue } from '../../../observe/replay/differences.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { asOneText } from '../output/too-long.ts';
import { recordingFile } from '../servers/recording-file.ts';
import { help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('<before>', 'file, or name of a kept recording')
    .argument('<after>', 'later recording')
    .option('--server <name>', 'server in both recordings (default: the only one)')
    .option('--server-after <name>', 'server in the later recording, if its name differs');
  help(
    command,
    `Compares the definitions of the server and its answers to the same requests.
The exit code is 1 if they differ. Durations are shown and not compared.`,
    'diff before.jsonl after.jsonl',
    'diff before.jsonl after.jsonl --server weather --json',
  );
  command.action(run(diff));
};

const diff: CommandBody = async ({ out }, [before, after], options) => {
  const { server, serverAfter = server } = options as { server?: string; serverAfter?: string };
  const [{ RecordedSession }, { diffSessions }] = await Promise.all([
    import('../../../observe/replay/recorded-session.ts'),
    import('../../../observe/replay/diff-sessions.ts'),
  ]);
  const sessions = [
    RecordedSession.open(recordingFile(before!), { server }),
    RecordedSession.open(recordingFile(after!), { server: serverAfter }),
  ] as const;
  try {
    const found = await diffSessions(...sessions);
    if (out.json) await asOneText(`${before} and ${after}`, 'Leave out --json.', () => out.document(found));
    else show(found, out);
    const isSame = found.definitions.length === 0 && found.calls.every(({ change }) => change === 'same');
    return isSame ? ExitCode.done : ExitCode.toolError;
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
};

function show({ definitions, calls }: SessionDiff, out: Output): void {
  const { paint } = out;
  for (const change of definitions) out.write(definitionLines(change, paint));
  for (const call of calls) if (call.change !== 'same') out.write(callLines(call, paint));
  const count = (change: ComparedCall['change']) => calls.filter((call) => call.change === change).length;
  const parts = (['same', 'different', 'added', 'removed'] as const).map((change) => `${count(change)} ${change}`);
  out.say(`${definitions.length} definitions differ; calls: ${parts.join(', ')}`);
}

const marks = { added: '+', removed: '-', changed: '~' } as const;
const colours = { added: 'green', removed: 'red', changed: 'yellow' } as const;

function definitionLines({ what, name, kind, changes }: DefinitionChange, paint: Paint): string {
  const head = `${marks[kind]} ${what}${name === '' ? '' : ` ${visibleLine(name)}`}`;
  const lines = changes.map(({ path, effect, text }) => {
    const line = `    ${visibleLine(path)} ${visibleLine(text)}`;
    return effect === 'wording' ? line : `${line} (${effect === 'breaking' ? paint('red', effect) : effect})`;
  });
  return `${[paint(colours[kind], head), ...lines].join('\n')}\n`;
}

function callLines({ method, target, params, change, before, after, differences }: ComparedCall, paint: Paint): string {
  const kind = change === 'added' || change === 'removed' ? change : 'changed';
  const name = target === undefined ? method : `${method} ${target}`;
  const sides = [before, after].flatMap((side) => (side ? [sideText(side)] : [])).join(' → ');
  const lines = differences.map(
    ({ path, before, after }) => `    ${path}: ${shownValue(before)} → ${shownValue(after)}`,
  );
  const head = `${marks[kind]} ${name} ${shownValue(params)}`;
  return `${[`${paint(colours[kind], visibleLine(head))}  ${sides}`, ...lines.map(visibleLine)].join('\n')}\n`;
}

function sideText({ outcome, durationMs }: CallSide): string {
  return durationMs === undefined ? outcome : `${outcome} ${Math.round(durationMs)} ms`;
}
