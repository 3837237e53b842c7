// Misbehaves in the way that its argument names.

const ways = {
  hangs: () => setInterval(() => undefined, 1e6),
  'crashes-at-once': () => process.exit(3),
  'floods-stderr': () => flood(process.stderr, `${'noise '.repeat(200)}\n`),
  'prints-garbage': () => flood(process.stdout, 'this is not a message\n'.repeat(20)),
  'never-ends-a-line': () => flood(process.stdout, 'x'.repeat(4096)),
};
ways[process.argv[2]]();

/** Writes in steps, so that it does not block in an endless loop. */
function flood(stream, text) {
  setInterval(() => {
    if (stream.writableLength < 1_000_000) stream.write(text);
  }, 1);
}
