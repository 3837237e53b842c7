// 2024-11-05 to 2025-11-25: a server has one log level for all clients behind its connection. It is set to the most
// verbose level that any of them has chosen, and not at all before one has. Each client gets only messages of its own
// level.

import { toError } from '../../../base/errors.ts';
import { DEFAULT_LOG_LEVEL, mostVerbose, reaches } from '../../meta.ts';
import type { LogLevel } from '../../types.ts';
import type { Warn } from '../warnings.ts';

export class ServerLogLevel {
  readonly #send: (level: LogLevel) => Promise<unknown>;
  readonly #warn: Warn;
  /** The level that the server has, or will have when the pending requests are answered. */
  #set: LogLevel | undefined;
  #pending: Promise<unknown> | undefined;
  /** The request that follows the pending one, with the newest level. */
  #next: Promise<unknown> | undefined;
  /** The level chosen by the owner of the connection and by requests with a level of their own. */
  #own: LogLevel | undefined;

  constructor(send: (level: LogLevel) => Promise<unknown>, warn: Warn) {
    this.#send = send;
    this.#warn = warn;
  }

  /** `watched` is the most verbose level that a watcher has chosen. */
  update(watched: LogLevel | undefined): void {
    const level = this.#wanted(watched);
    if (level === undefined || level === this.#set) return;
    this.#submit(level).catch((error: unknown) => {
      this.#warn('log-level-refused', `The server refused to set its log level: ${toError(error).message}`);
    });
  }

  /** Call this when the server has lost its level. */
  renew(watched: LogLevel | undefined): void {
    this.#set = undefined;
    this.update(watched);
  }

  /** Returns the answer from the server as the answer to the request. */
  choose(level: LogLevel, watched: LogLevel | undefined): Promise<unknown> {
    this.#own = level;
    return this.#submit(this.#wanted(watched)!);
  }

  /** Adds the level of a request. The level stays set: changing it twice for every request would cost more than the messages. */
  include(level: LogLevel, watched: LogLevel | undefined): void {
    if (this.#own !== undefined && reaches(level, this.#own)) return;
    this.#own = level;
    this.update(watched);
  }

  /** One request is pending at most: clients that change their levels often must not fill the queue of the server. */
  #submit(level: LogLevel): Promise<unknown> {
    this.#set = level;
    if (!this.#next && !this.#pending) return this.#sendNewest();
    this.#next ??= this.#pending!.then(
      () => this.#sendNewest(),
      () => this.#sendNewest(),
    );
    return this.#next;
  }

  #sendNewest(): Promise<unknown> {
    this.#next = undefined;
    const pending = this.#send(this.#set!).finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
    return pending;
  }

  /** Clients that have not chosen a level get the default, once the server was set to another. */
  #wanted(watched: LogLevel | undefined): LogLevel | undefined {
    const levels = [this.#own, watched].filter((level) => level !== undefined);
    return mostVerbose(levels) ?? (this.#set === undefined ? undefined : DEFAULT_LOG_LEVEL);
  }
}
