// Reads and writes lines as fast as Node allows. Each chunk is searched once, a line over many chunks is joined once,
// and the output of one tick is written at once.

export function readLines(stream, onLine) {
  let parts = [];
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const tail = chunk.slice(start, end);
      start = end + 1;
      if (parts.length === 0) {
        onLine(tail);
        continue;
      }
      parts.push(tail);
      const line = parts.join('');
      parts = [];
      onLine(line);
    }
    if (start < chunk.length) parts.push(start === 0 ? chunk : chunk.slice(start));
  });
}

export function lineWriter(stream) {
  let text = '';
  const flush = () => {
    const batch = text;
    text = '';
    stream.write(batch);
  };
  return (line) => {
    if (text === '') process.nextTick(flush);
    text += `${line}\n`;
  };
}
