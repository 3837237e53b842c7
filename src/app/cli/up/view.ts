// Prints the output of `up` on a terminal, in a log, and as JSON, and advice for servers that have failed.

import { shellWord } from '../../../base/command-line.ts';
import { StandpipeError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { cutToWidth, wrapToLines } from '../../../base/terminal/text-width.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import {
  isAway,
  type ServerState,
  type ServerStatus,
  type StateChange,
} from '../../../host/supervision/server-state.ts';
import { describeUptime, ownProcesses, stateColours } from '../commands/ls.ts';
import type { Output } from '../output/output.ts';
import { causeOf, type Row, tableLines } from '../output/table.ts';
import { stdoutLine } from '../show-error.ts';

export interface UpView {
  /** Called when the host is about to start its servers. */
  began(about: {
    config: string;
    servers: readonly string[];
    inspector: string | undefined;
    http: string | undefined;
    /** Options with which other commands find this host: ` --config …`, or empty. */
    sameConfig: string;
  }): void;
  changed(change: StateChange): void;
  note(text: string): void;
  advise(lines: readonly string[]): void;
  stopping(): void;
  ended(): void;
}

type ReadStatus = () => { servers: ServerStatus[]; advice: string[] };

/** One line per event, with the time. */
export function logView(out: Pick<Output, 'write'>): UpView {
  const log = (text: string) => out.write(`${new Date().toISOString()} ${text}\n`);
  return {
    began: ({ config, servers, inspector }) => {
      log(`standpipe runs ${counted(servers.length, 'server')} of ${visibleLine(config)}`);
      if (inspector) log(`inspector ${inspector}`);
    },
    changed: ({ server, owner, to, reason }) => {
      // Processes of single clients start and stop often: only their failures are logged.
      if (owner === undefined) log(`${visibleLine(server)} ${to}: ${visibleLine(reason)}`);
      else if (to === 'backoff' || isAway(to)) log(visibleLine(`${server} (${owner}) ${to}: ${reason}`));
    },
    note: (text) => log(visibleLine(text)),
    advise: (lines) => {
      for (const line of lines) log(line);
    },
    stopping: () => log('stopping all servers'),
    ended: () => log('all servers have stopped'),
  };
}

export function jsonView(out: Output): UpView {
  const tell = (event: string, facts: object = {}) =>
    out.documentLine({ event, at: new Date().toISOString(), ...facts });
  return {
    began: ({ config, servers, inspector, http }) => tell('began', { config, servers, inspector, http }),
    changed: ({ server, owner, from, to, reason }: StateChange) => tell('state', { server, owner, from, to, reason }),
    note: (text) => tell('note', { text }),
    advise: (lines) => tell('advice', { lines }),
    stopping: () => tell('stopping'),
    ended: () => tell('ended'),
  };
}

export function errorLine(error: Error): string {
  const hint = error instanceof StandpipeError && error.hint ? ` ${error.hint}` : '';
  return `${error.message}${hint}`;
}

type Shown = Pick<ServerStatus, 'state' | 'reason' | 'uptimeMs' | 'calls'>;

const REDRAW_MS = 1000;
const SOON_MS = 40;
const USUAL_ROWS = 24;

/**
 * Lines that show the current state of the servers, redrawn in place. They are cut to the window in width and height, because lines that have
 * scrolled cannot be redrawn.
 */
export function screenView(out: Output, read: ReadStatus, rows: () => number = terminalRows): UpView {
  let drawn = 0;
  let heading: string[] = [];
  let footer = '';
  let soon: NodeJS.Timeout | undefined;
  let over = false;

  const erase = () => (drawn > 0 ? `\x1b[${drawn}A\r\x1b[J` : '');
  const draw = () => {
    soon = undefined;
    if (over) return;
    const { servers, advice } = read();
    const width = out.width - 1;
    const lines = [
      ...heading,
      '',
      ...table(servers, width, out),
      ...(advice.length > 0 ? ['', ...advice.flatMap((line) => wrapAdvice(line, width))] : []),
      '',
      footer,
    ];
    const most = Math.max(3, rows() - 1);
    const fitting = lines.length <= most ? lines : [...lines.slice(0, most - 2), '…', footer];
    const text = fitting.map((line) => `${line.includes('\x1b') ? line : cutToWidth(line, width)}\n`).join('');
    out.write(erase() + text);
    drawn = fitting.length;
  };
  const drawSoon = () => {
    soon ??= setTimeout(draw, SOON_MS);
  };
  const regular = setInterval(draw, REDRAW_MS);
  const resized = () => {
    // After a width change the position of the old lines is unknown: draw below them.
    drawn = 0;
    drawSoon();
  };
  process.stdout.on('resize', resized);

  return {
    began({ config, inspector, sameConfig }) {
      heading = [`standpipe · ${visibleLine(config)}`];
      // The address is printed once and not cut: a narrow window would cut off the token.
      if (inspector) out.write(`Inspector: ${inspector}\n`);
      footer = `Ctrl-C stops all servers. In another terminal: ${ownCommand} tools${visibleLine(sameConfig)}`;
      draw();
    },
    changed: drawSoon,
    note(text) {
      out.write(`${erase()}${visibleLine(text)}\n`);
      drawn = 0;
      drawSoon();
    },
    advise: drawSoon,
    stopping() {
      footer = 'Stopping… (press Ctrl-C again to exit immediately)';
      draw();
    },
    ended() {
      draw();
      over = true;
      clearInterval(regular);
      clearTimeout(soon);
      process.stdout.off('resize', resized);
      out.write('All servers have stopped.\n');
    },
  };
}

function table(servers: readonly ServerStatus[], width: number, out: Output): string[] {
  return tableLines(
    ['SERVER', 'STATE', 'UPTIME', 'CALLS', 'LAST ERROR'],
    servers.flatMap((server) => [
      row(server.name, server, server.lastError),
      ...ownProcesses(server).map((process) => row(`${server.name}: ${process.owner}`, process)),
    ]),
    width,
    out.paint,
    { below: 'LAST ERROR' },
  );
}

function row(name: string, { state, reason, uptimeMs, calls }: Shown, lastError = ''): Row {
  const uptime = state === 'ready' ? describeUptime(uptimeMs) : '-';
  return [
    name,
    { text: state, colour: stateColours[state] },
    uptime,
    String(calls),
    { text: shownError(state, reason, lastError), colour: 'yellow' },
  ];
}

/** The advice below the table shows the error of a failed or unreachable server. */
function shownError(state: ServerState, reason: string, lastError: string): string {
  if (isAway(state)) return '';
  return causeOf(state === 'backoff' ? reason : lastError);
}

/** A hint may contain a whole PATH, so it is cut to keep the following lines on the screen. */
function wrapAdvice(line: string, width: number): string[] {
  const [indent] = /^ */.exec(line)!;
  return wrapToLines(line.slice(indent.length), width - indent.length, 3).map((each) => indent + each);
}

function terminalRows(): number {
  return process.stdout.rows || USUAL_ROWS;
}

const STDERR_LINES = 3;

/**
 * The reason, the next step, and how to restart. Empty unless the server failed or is unreachable. `place`: file and line of its entry.
 * `sameConfig`: options that select this host.
 */
export function adviceFor(status: ServerStatus, place: string, sameConfig: string): string[] {
  if (!isAway(status.state)) return [];
  const { message, hint, evidence, code } = status.lastExit ?? {};
  const restart = `${ownCommand} restart ${shellWord(visibleLine(status.name))}${visibleLine(sameConfig)}`;
  const stderr = (evidence?.stderrTail ?? '').trimEnd().split('\n').filter(Boolean).slice(-STDERR_LINES);
  return [
    `${visibleLine(status.name)} ${status.state === 'failed' ? 'failed' : 'cannot be reached'}: ${visibleLine(causeOf(message ?? status.reason))}`,
    ...(evidence?.firstNoise ? [stdoutLine(evidence.firstNoise)] : []),
    ...stderr.map((line) => `  stderr: ${visibleLine(line)}`),
    ...(hint ? [`  ${visibleLine(hint)}`] : []),
    code === 'LOGIN_REQUIRED'
      ? `  It connects after the login. To retry without a login: ${restart}`
      : status.state === 'failed'
        ? `  Change ${visibleLine(place)}, or fix the server and run: ${restart}`
        : `  The host retries at least every 30 s and for each call. To retry now: ${restart}`,
  ];
}
