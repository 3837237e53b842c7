// A synthetic recording of many events: calls of a few tools on a few servers, with answers, errors, stray output and
// stderr.

const servers = ['weather', 'files', 'search', 'database'];
const tools = ['forecast', 'read_file', 'query', 'list_rows', 'summarize'];

/** `FlowStore` is a parameter, so that both its source and its build can be used. */
export function largeRecording(FlowStore, count) {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, after: () => ({ cancel: () => undefined, keepAlive: () => undefined }) };
  const flow = new FlowStore({ maxEvents: count + 10, maxBytes: 1e9, clock });
  const sources = servers.map((server) => flow.begin(server));
  sources.forEach((source, at) => {
    source.add({ kind: 'spawn', command: `node ${source.server}.mjs`, pid: 4000 + at });
  });
  for (let id = 1; flow.lastSeq < count; id++) {
    const source = sources[id % sources.length];
    const tool = tools[(id * 7) % tools.length];
    const say = (direction, message) => source.text(direction, JSON.stringify({ jsonrpc: '2.0', ...message }));
    nowMs += 1 + (id % 5);
    say('toServer', {
      id,
      method: 'tools/call',
      params: { name: tool, arguments: { query: `item ${id}`, limit: id % 50 } },
    });
    nowMs += 0.3 + ((id * id) % 97) / 3 + (id % 1000 === 0 ? 1500 : 0);
    if (id % 211 === 0) source.text('fromServer', `DEBUG cache miss for item ${id}`);
    if (id % 89 === 0) {
      source.stderr(new TextEncoder().encode(`[${source.server}] slow query ${id}\n`));
      source.endStderr();
    }
    if (id % 157 === 0) say('fromServer', { id, error: { code: -32602, message: `item ${id} is not known` } });
    else say('fromServer', { id, result: { content: [{ type: 'text', text: `result of item ${id}` }] } });
  }
  return {
    kind: 'recording',
    title: 'large.jsonl',
    startedAt: flow.startedAt,
    live: false,
    flow,
    close: async () => undefined,
  };
}
