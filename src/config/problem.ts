// What is wrong with a config, and where. Something wrong is data, not an exception: an entry that is wrong fails alone,
// and everything else that is wrong is still found. No message contains a value of `env`.

import { UsageError } from '../base/errors.ts';

/** Both count from 1. Columns count UTF-16 units, as editors do. */
export interface Position {
  file: string;
  line: number;
  column: number;
}

export type ConfigErrorCode = 'CONFIG_NOT_FOUND' | 'CONFIG_INVALID' | 'VARIABLE_NOT_SET';

export interface ConfigProblem extends Position {
  /** An error takes its entry (or, without `server`, its file) out of the game; a warning takes nothing away. */
  severity: 'error' | 'warning';
  /** Errors have one. */
  code?: ConfigErrorCode;
  server?: string;
  message: string;
  suggestion?: string;
}

/** Stands for the file of a config that a program handed over: it has no lines that anybody could look at. */
export const GIVEN = 'the given config';

/** `mcp.json:3:15: "args" must be an array`, in the form that terminals and editors make clickable. */
export function problemText({ code, file, line, column, server, message }: ConfigProblem): string {
  if (code === 'CONFIG_NOT_FOUND') return message;
  const place = file === GIVEN ? 'In the given config' : `${file}:${line}:${column}`;
  return `${place}: ${server === undefined ? '' : `server "${server}": `}${message}`;
}

export function problemError(problem: ConfigProblem): UsageError {
  return new UsageError(problem.code ?? 'CONFIG_INVALID', problemText(problem), { hint: problem.suggestion });
}

/** Collects what is found wrong with one entry, or with a file as a whole. */
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
