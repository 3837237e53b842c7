// The decoders that split chunks into lines. `createDecoder()` returns `{ push(chunk) }`, which returns the number of
// lines that the chunk completed.

export const decoders = [
  { name: 'naive', load: () => naive((line) => line) },
  { name: 'newline()', load: () => standpipe((bytes) => bytes) },
  { name: 'naive+parse', load: () => naive(JSON.parse) },
  { name: 'newline()+parse', load: () => standpipe((bytes) => JSON.parse(textOf(bytes))) },
  { name: 'ReadBuffer', load: official },
];

/**
 * The obvious implementation: it decodes each chunk separately, so it breaks characters that are split between chunks.
 */
async function naive(read) {
  return {
    createDecoder() {
      let rest = '';
      return {
        last: undefined,
        push(chunk) {
          rest += chunk.toString();
          const lines = rest.split('\n');
          rest = lines.pop();
          for (const line of lines) this.last = read(line);
          return lines.length;
        },
      };
    },
  };
}

async function official() {
  const { ReadBuffer } = await import('@modelcontextprotocol/client');
  return {
    createDecoder() {
      const buffer = new ReadBuffer();
      return {
        push(chunk) {
          let count = 0;
          buffer.append(chunk);
          while (buffer.readMessage() !== null) count++;
          return count;
        },
      };
    },
  };
}

async function standpipe(read) {
  const { newline } = await import('../../dist/entry/framing.js');
  return {
    createDecoder() {
      const decoder = newline().decoder();
      const sink = { count: 0, last: undefined, frame, fault };
      return {
        push(chunk) {
          sink.count = 0;
          decoder.push(chunk, sink);
          return sink.count;
        },
      };
    },
  };

  function frame(bytes) {
    this.last = read(bytes);
    this.count++;
  }

  function fault({ code }) {
    throw new Error(code);
  }
}

function textOf(bytes) {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString();
}
