// JSON-RPC over lines without a library, so that these servers can also break the protocol.

let lastId = 0;
const waiting = new Map();
const running = new Map();

export const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Sends a request to the client. Resolves with its result or its error. */
export function ask(method, params) {
  const id = `ask-${++lastId}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** `handlers`: by method. Each gets the params and a signal that a cancellation aborts. */
export function serve(handlers) {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim()) receive(JSON.parse(line), handlers);
  });
  process.stdin.on('end', () => process.exit(0));
}

async function receive({ id, method, params, result, error }, handlers) {
  if (method === undefined) {
    waiting.get(id)?.({ result, error });
    waiting.delete(id);
    return;
  }
  if (method === 'notifications/cancelled') return running.get(params.requestId)?.abort();
  if (id === undefined) return;
  const handle = handlers[method];
  if (!handle) return send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const answer = await handle(params ?? {}, stop.signal);
    if (!stop.signal.aborted) send({ id, result: answer });
  } catch (failure) {
    send({ id, error: { code: failure.code ?? -32603, message: failure.message, data: failure.data } });
  } finally {
    running.delete(id);
  }
}

export const initialize =
  (name, capabilities, more = {}) =>
  ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? '2025-11-25',
    capabilities,
    serverInfo: { name, version: '1.2.0' },
    ...more,
  });
