// Checks of the features of server-memory with our client: tools over a graph, and the graph as a resource.

import { expect } from 'vitest';
import { until } from '../fixtures/server.ts';
import { Absent } from './families.ts';
import { type Checks, NOT_IN_REVISION, refused, textOf } from './standard-checks.ts';
import { toolServerChecks } from './tool-server-checks.ts';

const GRAPH = 'memory://knowledge-graph';

export const memoryChecks: Checks = {
  ...toolServerChecks('read_graph'),

  async connect(client) {
    expect(client.name).toBe('memory-server');
    return undefined;
  },

  async tools(client) {
    expect((await client.listTools()).map(({ name }) => name)).toContain('create_entities');
    const entities = [{ name: `Ada ${client.revision}`, entityType: 'person', observations: ['grüße 🙂'] }];
    await client.callTool('create_entities', { entities });
    expect(JSON.parse(textOf(await client.callTool('read_graph'))).entities).toContainEqual(entities[0]);
    return undefined;
  },

  async 'tool error'(client) {
    const observations = [{ entityName: 'nobody', contents: ['x'] }];
    expect(await client.callTool('add_observations', { observations })).toMatchObject({ isError: true });
    expect(await client.callTool('create_entities', { entities: 'none' })).toMatchObject({ isError: true });
    return undefined;
  },

  async 'structured output'(client) {
    const { structuredContent } = await client.callTool('search_nodes', { query: 'no such thing' });
    if (client.revision < '2025-06-18') return new Absent(NOT_IN_REVISION);
    expect(structuredContent).toEqual({ entities: [], relations: [] });
    return undefined;
  },

  async resources(client) {
    expect(await client.listResources()).toMatchObject([{ uri: GRAPH, name: 'knowledge-graph' }]);
    expect(await client.listResourceTemplates()).toEqual([]);
    expect(await client.readResource(GRAPH)).toMatchObject({
      contents: [{ uri: GRAPH, mimeType: 'application/json' }],
    });
    expect([-32002, -32602]).toContain(await refused(client.readResource('memory://nowhere')));
    return undefined;
  },

  async subscriptions(client) {
    const updates: string[] = [];
    const unsubscribe = await client.subscribe(GRAPH, (uri) => updates.push(uri));
    await client.callTool('delete_entities', { entityNames: ['nobody'] });
    await until('the update arrives', () => updates.length > 0);
    await unsubscribe();
    await client.callTool('delete_entities', { entityNames: ['nobody'] });
    await client.callTool('read_graph');
    expect(updates).toEqual([GRAPH]);
    return undefined;
  },
};
