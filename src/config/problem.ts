// Problems of a config, with their positions. A problem is data, not an exception, so that all problems are found. Messages never
// contain a value of `env`.

import { UsageError } from '../base/errors.ts';

/** Line and column count from 1. Columns count UTF-16 units, as editors do. */
export interface Position {
  file: string;
  line: number;
  column: number;
}

export type ConfigErrorCode = 'CONFIG_NOT_FOUND' | 'CONFIG_INVALID' | 'VARIABLE_NOT_SET';

export interface ConfigProblem extends Position {
  /** An error disables its entry (or, without `server`, its file); a warning does not. */
  severity: 'error' | 'warning';
  /** Set only for errors. */
  code?: ConfigErrorCode;
  server?: string;
  message: string;
  suggestion?: string;
}

/** Replaces the file name for a config that was passed as an object, which has no lines. */
export const GIVEN = 'the given config';

/** Replaces the file name for a server given on a command line. */
export const COMMAND_LINE = 'the command line';

/** `mcp.json:3:15: "args" must be an array`, a format that terminals and editors turn into links. */
export function problemText({ code, file, line, column, server, message }: ConfigProblem): string {
  if (code === 'CONFIG_NOT_FOUND') return message;
  const place = file === GIVEN ? 'In the given config' : `${file}:${line}:${column}`;
  return `${place}: ${server === undefined ? '' : `server "${server}": `}${message}`;
}

export function problemError(problem: ConfigProblem): UsageError {
  return new UsageError(problem.code ?? 'CONFIG_INVALID', problemText(problem), { hint: problem.suggestion });
}

/** Collects the problems of one entry, or of a whole file. */
export class Findings {
  readonly problems: ConfigProblem[] = [];
  readonly #server: string | undefined;

  constructor(server?: string) {
    this.#server = server;
  }

  get failed(): boolean {
    return this.problems.some(({ severity }) => severity === 'error');
  }

  error(at: Position, message: string, suggestion?: string, code: ConfigErrorCode = 'CONFIG_INVALID'): void {
    this.#add({ severity: 'error', code }, at, message, suggestion);
  }

  warn(at: Position, message: string, suggestion?: string): void {
    this.#add({ severity: 'warning' }, at, message, suggestion);
  }

  #add(kind: Pick<ConfigProblem, 'severity' | 'code'>, at: Position, message: string, suggestion?: string): void {
    const { file, line, column } = at;
    const server = this.#server === undefined ? {} : { server: this.#server };
    const hint = suggestion === undefined ? {} : { suggestion };
    this.problems.push({ ...kind, ...server, file, line, column, message, ...hint });
  }
}
