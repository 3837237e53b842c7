// A walk through everything that a server offers, with any client. What came back is comparable with another walk.

import type { AnyClient } from '../interop/any-client.ts';

/** `folder`: one that the server may change. */
type Step = (client: AnyClient, folder: string) => Promise<unknown>;

const call =
  (name: string, args?: Record<string, unknown>): Step =>
  (client, folder) =>
    client.callTool(name, args && JSON.parse(JSON.stringify(args).replaceAll('{folder}', folder)));

const lists: Step[] = [
  (client) => client.listTools(),
  (client) => client.listResources(),
  (client) => client.listResourceTemplates(),
  (client) => client.listPrompts(),
];

export const tours = {
  everything: [
    ...lists,
    call('echo', { message: 'grüße 🙂' }),
    call('echo', { message: 'again' }),
    call('echo', {}),
    call('no-such-tool', { a: 1 }),
    call('get-sum', { a: 1, b: 2.5 }),
    call('get-tiny-image'),
    call('get-structured-content', { location: 'New York' }),
    call('get-annotated-message', { messageType: 'error', includeImage: true }),
    call('get-resource-links', { count: 3 }),
    call('trigger-long-running-operation', { duration: 0.1, steps: 2 }),
    call('trigger-elicitation-request'),
    call('trigger-sampling-request', { prompt: 'hello' }),
    call('get-roots-list'),
    (client) => client.getPrompt('simple-prompt'),
    (client) => client.getPrompt('args-prompt', { city: 'Oslo' }),
    (client) => client.getPrompt('no-such-prompt'),
    (client) => client.readResource('demo://resource/dynamic/text/1'),
    (client) => client.readResource('demo://nowhere'),
    (client) =>
      client.complete(
        { type: 'ref/prompt', name: 'completable-prompt' },
        { name: 'name', value: 'A' },
        { department: 'Engineering' },
      ),
  ],
  filesystem: [
    ...lists,
    call('list_allowed_directories'),
    call('write_file', { path: '{folder}/new.txt', content: 'new\n' }),
    call('read_text_file', { path: '{folder}/new.txt' }),
    call('edit_file', { path: '{folder}/new.txt', edits: [{ oldText: 'new', newText: 'old' }] }),
    call('read_text_file', { path: '{folder}/new.txt' }),
    call('read_text_file', { path: '/etc/passwd' }),
    call('directory_tree', { path: '{folder}' }),
  ],
  memory: [
    ...lists,
    call('read_graph'),
    call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }),
    call('read_graph'),
    call('search_nodes', { query: 'Ada' }),
    call('delete_entities', { entityNames: ['Ada'] }),
    call('read_graph'),
  ],
  small: [
    ...lists,
    call('hello_world', { name: 'Ada' }),
    call('add', { a: 1, b: 2 }),
    call('add', { a: 'x' }),
    call('echo', { text: 'a\u2028b \ud83d\ude42' }),
    call('fail'),
  ],
  standard: [
    ...lists,
    call('echo', { text: 'grüße 🙂' }),
    call('echo', { text: 1 }),
    call('blocks'),
    call('fail'),
    call('add', { a: 1, b: 2 }),
    call('ask'),
    call('sample'),
    call('roots'),
    call('log'),
    (client) => client.readResource('mem://a'),
    (client) => client.readResource('mem://item/seven'),
    (client) => client.readResource('mem://nowhere'),
    (client) => client.getPrompt('greet', { name: 'Ada' }),
    (client) => client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' }),
  ],
} satisfies Record<string, Step[]>;

export type Tour = keyof typeof tours;

/** Members that a revision adds to every result. */
const ofRevision = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);

export async function walk(client: AnyClient, tour: Tour, folder: string): Promise<unknown[]> {
  const found: unknown[] = [
    { name: client.name, instructions: client.instructions, capabilities: client.capabilities },
  ];
  for (const step of tours[tour]) {
    found.push(await step(client, folder).catch((error: Error) => `${error.name}: ${error.message}`));
  }
  // server-everything asks for roots at any time, also outside of requests, which a replay does not.
  found.push(client.asked.filter((method) => method !== 'roots/list'));
  return JSON.parse(JSON.stringify(found, (name, value) => (ofRevision.has(name) ? undefined : value)));
}
