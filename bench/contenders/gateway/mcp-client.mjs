// A client of the echo tool over HTTP, in either era. All clients count their ids from 0 and use them as progress
// tokens, so equal ids are always in flight. Each text names its client and its call, and each answer is checked.

import { openConnection } from './http-connection.mjs';

const MODERN = '2026-07-28';
/** The gateway treats clients with the same name and token as one, so each client has its own name. */
const envelopeOf = (name) =>
  `"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientInfo":{"name":"${name}","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}`;

/** Thrown for an answer or a notification that belongs to another call. */
export class Misdelivered extends Error {}

export async function openClient({ port, path, headers = {} }, { name, revision, connections }) {
  const client = new McpClient(name, revision);
  const all = { host: `127.0.0.1:${port}`, ...client.ownHeaders, ...headers };
  client.head = `POST ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([key, value]) => `${key}: ${value}\r\n`)
    .join('')}`;
  for (let opened = 0; opened < connections; opened++) client.idle.push(await openConnection(port));
  if (revision !== MODERN) await client.initialize();
  return client;
}

class McpClient {
  idle = [];
  head = '';
  #name;
  #revision;
  #isModern;
  #envelope;
  #lastId = -1;

  constructor(name, revision) {
    this.#name = name;
    this.#revision = revision;
    this.#isModern = revision === MODERN;
    this.#envelope = envelopeOf(name);
  }

  get ownHeaders() {
    return {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': this.#revision,
      ...(this.#isModern && { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }),
    };
  }

  async initialize() {
    const params = `{"protocolVersion":"${this.#revision}","capabilities":{},"clientInfo":{"name":"${this.#name}","version":"1.0.0"}}`;
    const { head } = await this.#post(
      `{"jsonrpc":"2.0","id":${++this.#lastId},"method":"initialize","params":${params}}`,
    );
    const [, session] = /\r\nmcp-session-id: *(\S+)/.exec(head) ?? [];
    if (session) this.head += `mcp-session-id: ${session}\r\n`;
    await this.#post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }

  /** `padding`: the rest of the text, after the name of the call. Resolves to the number of progress notifications. */
  async echo(padding, withProgress = false) {
    const id = ++this.#lastId;
    const text = `${this.#name} call ${id} ${padding}`;
    const { body } = await this.#post(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}${this.#meta(id, withProgress)}}}`,
    );
    return checked(body, id, text);
  }

  vanish() {
    for (const connection of this.idle) connection.vanish();
  }

  #meta(id, withProgress) {
    const token = withProgress ? `"progressToken":${id}` : '';
    if (!this.#isModern) return withProgress ? `,"_meta":{${token}}` : '';
    return `,"_meta":{${this.#envelope}${withProgress ? ',' : ''}${token}}`;
  }

  async #post(body) {
    const connection = this.idle.pop();
    const answer = await connection.post(this.head, body);
    this.idle.push(connection);
    if (answer.status >= 300) throw new Error(`HTTP ${answer.status}: ${answer.body.slice(0, 120)}`);
    return answer;
  }
}

/** The body is JSON or an event stream. */
function checked(body, id, text) {
  if (body.startsWith('{')) return checkAnswer(JSON.parse(body), id, text);
  let progress = 0;
  for (const line of body.split('\n')) {
    const data = line.startsWith('data:') ? line.slice(5).trim() : '';
    if (data === '') continue;
    const message = JSON.parse(data);
    if (message.method === undefined) checkAnswer(message, id, text);
    else {
      const { progressToken, message: said } = message.params;
      if (progressToken !== id || said !== text) throw new Misdelivered(`progress of ${said} came to ${text}`);
      progress++;
    }
  }
  return progress;
}

function checkAnswer({ id: answered, result, error }, id, text) {
  if (error) throw new Error(`${error.code}: ${error.message}`);
  const got = result.content[0].text;
  if (answered !== id || got !== text) throw new Misdelivered(`${got.slice(0, 40)} came to ${text.slice(0, 40)}`);
  return 0;
}
