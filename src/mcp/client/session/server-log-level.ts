// 2024-11-05 to 2025-11-25: a server has one log level for all clients behind its connection. It is set to the most verbose that
// any of them has chosen, and not at all before one has. Each client gets only messages of its own level.

import { toError } from '../../../base/errors.ts';
import { DEFAULT_LOG_LEVEL, mostVerbose, reaches } from '../../meta.ts';
import type { LogLevel } from '../../types.ts';
import type { Warn } from '../warnings.ts';

export class ServerLogLevel {
  readonly #send: (level: LogLevel) => Promise<unknown>;
  readonly #warn: Warn;
  /** As last sent. */
  #set: LogLevel | undefined;
  /** Of the program that has the connection, and of requests that had a level of their own. */
  #own: LogLevel | undefined;

  constructor(send: (level: LogLevel) => Promise<unknown>, warn: Warn) {
    this.#send = send;
    this.#warn = warn;
  }

  /** `watched`: the most verbose level that a watcher has chosen. */
  update(watched: LogLevel | undefined): void {
    const level = this.#wanted(watched);
    if (level === undefined || level === this.#set) return;
    this.#set = level;
    this.#send(level).catch((error: unknown) => {
      this.#warn('log-level-refused', `The server refused to set its log level: ${toError(error).message}`);
    });
  }

  /** The server knows of no level any more. */
  renew(watched: LogLevel | undefined): void {
    this.#set = undefined;
    this.update(watched);
  }

  /** The answer of the server is that of the request. */
  choose(level: LogLevel, watched: LogLevel | undefined): Promise<unknown> {
    this.#own = level;
    this.#set = this.#wanted(watched)!;
    return this.#send(this.#set);
  }

  /** A request has a level of its own. The level stays: to set it twice for every request would cost more than the messages. */
  include(level: LogLevel, watched: LogLevel | undefined): void {
    if (this.#own !== undefined && reaches(level, this.#own)) return;
    this.#own = level;
    this.update(watched);
  }

  /** Clients that have not chosen a level want the usual one, once the server was set to another. */
  #wanted(watched: LogLevel | undefined): LogLevel | undefined {
    const levels = [this.#own, watched].filter((level) => level !== undefined);
    return mostVerbose(levels) ?? (this.#set === undefined ? undefined : DEFAULT_LOG_LEVEL);
  }
}
