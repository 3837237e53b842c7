// Checks of the features of server-everything with our client.

import { expect } from 'vitest';
import { until } from '../fixtures/server.ts';
import { Absent } from './families.ts';
import { type Checks, NOT_IN_REVISION, refused, standardChecks, textOf } from './standard-checks.ts';

export const everythingChecks: Checks = {
  async connect(client) {
    expect(client.name).toBe('mcp-servers/everything');
    expect(client.instructions).toMatch(/everything/i);
    return undefined;
  },

  // The server registers some tools only after initialization and announces them: the first change of a list.
  async 'list changed'(client) {
    await until('the tools for this client are there', async () => {
      const names = (await client.listTools()).map(({ name }) => name);
      return names.includes('get-roots-list');
    });
    expect(client.wire()).toContainEqual(
      expect.objectContaining({
        from: 'server',
        message: expect.objectContaining({ method: 'notifications/tools/list_changed' }),
      }),
    );
    return undefined;
  },

  async tools(client) {
    expect((await client.listTools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']),
    );
    expect(textOf(await client.callTool('echo', { message: 'grüße 🙂' }))).toBe('Echo: grüße 🙂');
    const { content } = await client.callTool('get-tiny-image');
    expect(content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
    return undefined;
  },

  async 'tool error'(client) {
    expect(await client.callTool('get-sum', { a: 'one', b: 2 })).toMatchObject({ isError: true });
    return undefined;
  },

  async 'structured output'(client) {
    const { structuredContent } = await client.callTool('get-structured-content', { location: 'Chicago' });
    if (client.revision < '2025-06-18') return new Absent(NOT_IN_REVISION);
    expect(structuredContent).toMatchObject({ temperature: 36 });
    return undefined;
  },

  async resources(client) {
    expect((await client.listResources()).length).toBeGreaterThan(0);
    const templates = await client.listResourceTemplates();
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('demo://resource/dynamic/text/{resourceId}');
    const { contents } = await client.readResource('demo://resource/dynamic/text/1');
    expect(contents).toMatchObject([{ uri: 'demo://resource/dynamic/text/1', mimeType: 'text/plain' }]);
    expect([-32002, -32602]).toContain(await refused(client.readResource('demo://nowhere')));
    return undefined;
  },

  async subscriptions(client) {
    const uri = 'demo://resource/dynamic/text/1';
    const updates: string[] = [];
    const unsubscribe = await client.subscribe(uri, (updated) => updates.push(updated));
    await client.callTool('toggle-subscriber-updates');
    await until('the update arrives', () => updates.length > 0);
    expect(updates[0]).toBe(uri);
    await unsubscribe();
    await client.callTool('toggle-subscriber-updates');
    return undefined;
  },

  async prompts(client) {
    expect((await client.listPrompts()).map(({ name }) => name)).toContain('args-prompt');
    const { messages } = await client.getPrompt('args-prompt', { city: 'Oslo' });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: "What's weather in Oslo?" } }]);
    return undefined;
  },

  async completion(client) {
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    const { values } = await client.complete(ref, { name: 'name', value: 'A' }, { department: 'Engineering' });
    expect(values).toEqual(['Alice']);
    return undefined;
  },

  // Its own log messages have random levels; the arrival of roots is logged as `info`.
  async logging(client) {
    await client.setLogLevel('debug');
    client.logs.length = 0;
    await client.callTool('toggle-simulated-logging');
    await until('a message arrives', () => client.logs.length > 0);
    await client.callTool('toggle-simulated-logging');
    return undefined;
  },

  async progress(client) {
    const steps: number[] = [];
    const args = { duration: 0.1, steps: 2 };
    await client.callTool('trigger-long-running-operation', args, { onProgress: (step) => steps.push(step) });
    // The official client loses progress that arrives in one chunk with the answer.
    expect([1, 2].slice(0, steps.length)).toEqual(steps);
    return undefined;
  },

  async cancellation(client) {
    const abort = new AbortController();
    const long = client.callTool(
      'trigger-long-running-operation',
      { duration: 0.2, steps: 1 },
      { signal: abort.signal },
    );
    abort.abort(new Error('changed my mind'));
    await expect(long).rejects.toThrow('changed my mind');
    // The operation continues, but its answer is not sent.
    await client.callTool('trigger-long-running-operation', { duration: 0.3, steps: 1 });
    const cancel = client.wire().findLast(({ message }) => isCancel(message))!.message;
    const { requestId } = (cancel as { params: { requestId: number } }).params;
    const answers = client.wire().filter(({ from }) => from === 'server');
    expect(answers.map(({ message }) => (message as { id?: number }).id)).not.toContain(requestId);
    return undefined;
  },

  async pagination(client) {
    await client.listResources();
    return new Absent('one page for everything');
  },

  async elicitation(client) {
    if (client.revision < '2025-06-18') return new Absent(NOT_IN_REVISION);
    expect(textOf(await client.callTool('trigger-elicitation-request'))).toMatch('- Name: Ada');
    return undefined;
  },

  async sampling(client) {
    expect(textOf(await client.callTool('trigger-sampling-request', { prompt: 'hello' }))).toMatch('something');
    return undefined;
  },

  async roots(client) {
    expect(textOf(await client.callTool('get-roots-list'))).toMatch('file:///interop');
    const before = client.asked.filter((method) => method === 'roots/list').length;
    await client.notifyRootsChanged();
    await until('they are requested again', () => client.asked.filter((each) => each === 'roots/list').length > before);
    return undefined;
  },

  ping: standardChecks.ping,
};

function isCancel(message: unknown): boolean {
  return (message as { method?: string }).method === 'notifications/cancelled';
}
