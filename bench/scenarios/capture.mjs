// Memory that a host uses to keep one message: a copy and an object.

export const title = 'keeping a message in the flow, 100 bytes';
export const contenders = [{ name: 'FlowStore' }];
export const metrics = [{ key: 'frameUs', label: 'µs a message', digits: 2 }];

export const cases = ({ quick }) => [{ label: 'frame', count: quick ? 50_000 : 500_000 }];

export async function measure(_contender, { count }) {
  const { FlowStore } = await import('../../dist/entry/recording.js');
  const source = new FlowStore({ maxEvents: 10_000 }).begin('a');
  const message = new TextEncoder().encode(
    '{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{}}}',
  );
  const keep = () => {
    for (let at = 0; at < count; at++) source.frame('fromServer', message, at);
  };
  keep(); // warm-up
  const startMs = performance.now();
  keep();
  return { frameUs: ((performance.now() - startMs) * 1000) / count };
}

export const targets = [
  { text: 'µs to keep a message', value: ({ median }) => median('frame', 'FlowStore', 'frameUs'), atMost: 2 },
];
