// A session with a server of 2025-03-26 to 2025-11-25. The server may assign its id in the answer to `initialize`.

/** "The session ID MUST only contain visible ASCII characters." The length limit is our own. */
const valid = /^[\x21-\x7e]{1,1024}$/;

export class RemoteSession {
  #id: string | undefined;
  #version: string | undefined;
  #headers: readonly string[] = [];

  get id(): string | undefined {
    return this.#id;
  }

  set id(id: string | undefined) {
    this.#id = id;
    this.#change();
  }

  get version(): string | undefined {
    return this.#version;
  }

  /** The revision negotiated by `initialize`. */
  set version(version: string | undefined) {
    this.#version = version;
    this.#change();
  }

  /** Headers of every request in the session, as alternating names and values. */
  get headers(): readonly string[] {
    return this.#headers;
  }

  isValidId(id: unknown): id is string {
    return typeof id === 'string' && valid.test(id);
  }

  #change(): void {
    this.#headers = [
      ...(this.#id === undefined ? [] : ['Mcp-Session-Id', this.#id]),
      ...(this.#version === undefined ? [] : ['MCP-Protocol-Version', this.#version]),
    ];
  }
}
