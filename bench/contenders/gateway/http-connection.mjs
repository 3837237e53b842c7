// One keep-alive connection that posts one request at a time, with little processor time of its own, so that the load
// does not dominate the measurement. Supports bodies with a length and chunked bodies, and no other feature of HTTP.

import { once } from 'node:events';
import { connect } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export async function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return new HttpConnection(socket);
}

class HttpConnection {
  #socket;
  #chunks = [];
  #bytes = 0;
  #head;
  #bodyStart = 0;
  #length = 0;
  #settle;
  #fail;

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#received(chunk));
    socket.on('error', (error) => this.#fail?.(error));
    socket.on('close', () => this.#fail?.(new Error('the gateway closed the connection')));
  }

  /** `head`: the request line and the headers, in ASCII. Resolves to `{ status, head, body }`. */
  post(head, body) {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`, 'latin1');
    });
  }

  vanish() {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #received(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#head === undefined && !this.#readHead()) return;
    if (this.#length >= 0) {
      if (this.#bytes < this.#bodyStart + this.#length) return;
      return this.#finish(this.#joined().toString('utf8', this.#bodyStart, this.#bodyStart + this.#length));
    }
    if (!this.#endsWithLastChunk()) return;
    this.#finish(unchunked(this.#joined(), this.#bodyStart));
  }

  #readHead() {
    const bytes = this.#joined();
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) return false;
    this.#head = bytes.latin1Slice(0, end).toLowerCase();
    this.#bodyStart = end + END_OF_HEAD.length;
    const [, length] = /\r\ncontent-length: *(\d+)/.exec(this.#head) ?? [];
    this.#length = length !== undefined ? Number(length) : this.#head.includes('chunked') ? -1 : 0;
    return true;
  }

  #endsWithLastChunk() {
    const last = this.#chunks.at(-1);
    const end = last.length >= LAST_CHUNK.length ? last : this.#joined();
    return this.#bytes > this.#bodyStart && end.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }

  #joined() {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0];
  }

  #finish(body) {
    const head = this.#head;
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
    const settle = this.#settle;
    this.#fail = undefined;
    settle({ status: Number(head.slice(9, 12)), head, body });
  }
}

function unchunked(bytes, start) {
  let text = '';
  for (;;) {
    const end = bytes.indexOf('\r\n', start);
    const length = Number.parseInt(bytes.latin1Slice(start, end), 16);
    if (!(length > 0)) return text;
    text += bytes.toString('utf8', end + 2, end + 2 + length);
    start = end + 2 + length + 2;
  }
}
