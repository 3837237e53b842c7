// A correct server with what `workbench` lacks: completion, subscriptions, roots, log levels, and fields and results of further forms.

import { setTimeout as wait } from 'node:timers/promises';
import { ask, initialize, send, serve } from './line-peer.mjs';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const json = (value) => text(JSON.stringify(value));
const none = { type: 'object', properties: {} };
const cities = ['Oslo', 'Osaka', 'Paris', 'Porto', 'Prague'];
const dishes = [
  { dish: 'soup', price: 5, vegan: true },
  { dish: 'pasta', price: 9.5, vegan: false },
  { dish: 'salad', price: 7, vegan: true, note: 'with nuts' },
];
const counts = new Map();
const subscribed = new Set();
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
let level = 'debug';

const log = (severity, data) => {
  if (levels.indexOf(severity) < levels.indexOf(level)) return;
  send({ method: 'notifications/message', params: { level: severity, logger: 'gallery', data } });
};

const tools = [
  {
    name: 'forms',
    title: 'Fields of every form',
    description: 'Gives its arguments back.',
    inputSchema: {
      type: 'object',
      properties: {
        displayName: { type: 'string', title: 'Name on the door', minLength: 3 },
        nickname: { type: ['string', 'null'] },
        point: {
          type: 'array',
          prefixItems: [
            { type: 'number', title: 'x' },
            { type: 'string', title: 'unit' },
          ],
        },
        free: { type: 'object' },
        pet: { anyOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }] },
        nothing: { type: 'null' },
      },
      required: ['displayName', 'pet'],
      $defs: {
        Cat: { type: 'object', properties: { lives: { type: 'integer', maximum: 9 } }, required: ['lives'] },
        Dog: { type: 'object', properties: { tricks: { type: 'string', minLength: 2 } }, required: ['tricks'] },
      },
    },
    run: (args) => json(args),
  },
  {
    name: 'login',
    description: 'Takes a secret.',
    inputSchema: {
      type: 'object',
      properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
    },
    run: () => text('Welcome.'),
  },
  {
    name: 'breach',
    description: 'Breaks its own output schema.',
    inputSchema: none,
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    run: () => ({ ...text('three'), structuredContent: { sum: 'three' } }),
  },
  {
    name: 'refuse',
    description: 'Answers with a JSON-RPC error.',
    inputSchema: none,
    run: () => {
      throw Object.assign(new Error('The kitchen is closed'), { code: -32050, data: { retryAfter: 5 } });
    },
  },
  { name: 'table', description: 'A list of objects as JSON text.', inputSchema: none, run: () => json(dishes) },
  {
    name: 'menu',
    description: 'Structured content beside a text.',
    inputSchema: { type: 'object', properties: { only: { type: 'string' } } },
    run: ({ only }) => ({
      ...text('See the structured content.'),
      structuredContent: { dishes: dishes.filter(({ dish }) => only === undefined || dish === only) },
    }),
  },
  {
    name: 'page',
    description: 'HTML as an embedded resource.',
    inputSchema: none,
    run: () => ({
      content: [
        { type: 'resource', resource: { uri: 'ui://page', mimeType: 'text/html', text: '<h1 id="risky">Hello</h1>' } },
      ],
    }),
  },
  {
    name: 'chatter',
    description: 'Logs, writes to stderr, reports progress and asks.',
    inputSchema: none,
    run: async (_, { progressToken }) => {
      log('info', 'The work begins');
      process.stderr.write('\u001b[31mred\u001b[0m and \u001b[1;32mbold green\u001b[0m\n');
      send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2, message: 'half' } });
      const { result, error } = await ask('elicitation/create', {
        message: 'Go on?',
        requestedSchema: { type: 'object', properties: { reason: { type: 'string' } } },
      });
      log('warning', { phase: 'after the question' });
      return json(result ?? error);
    },
  },
  {
    name: 'twice',
    description: 'Asks two questions at once.',
    inputSchema: none,
    run: async () => {
      const question = (message) => ask('elicitation/create', { message, requestedSchema: none });
      const answers = await Promise.all([question('First?'), question('Second?')]);
      return json(answers.map(({ result, error }) => (result ?? error).action));
    },
  },
  {
    name: 'roots',
    description: 'Asks for the roots of the client.',
    inputSchema: none,
    run: async () => {
      const { result, error } = await ask('roots/list');
      return json(result ?? error);
    },
  },
  {
    name: 'touch',
    description: 'Changes a counter, and tells its subscribers.',
    inputSchema: { type: 'object', properties: { name: { type: 'string', default: 'a' } } },
    run: ({ name = 'a' }) => {
      const uri = `count://${name}`;
      counts.set(uri, (counts.get(uri) ?? 0) + 1);
      if (subscribed.has(uri)) send({ method: 'notifications/resources/updated', params: { uri } });
      return text(`${uri} is ${counts.get(uri)}`);
    },
  },
  {
    name: 'think',
    description: 'Takes a moment.',
    inputSchema: none,
    run: async () => {
      await wait(5);
      return text('Thought.');
    },
  },
];

serve({
  initialize: initialize(
    'gallery',
    { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
    { instructions: 'Look, and do not touch.' },
  ),
  ping: () => ({}),
  'logging/setLevel': (params) => {
    level = params.level;
    return {};
  },
  'tools/list': () => ({ tools: tools.map(({ run, ...tool }) => tool) }),
  'tools/call': ({ name, arguments: args = {}, _meta }) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    return tool.run(args, { progressToken: _meta?.progressToken });
  },
  'resources/list': () => ({ resources: [{ uri: 'count://a', name: 'a' }] }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      { uriTemplate: 'count://{name}', name: 'counter' },
      { uriTemplate: 'city://{city}{?units,lang}', name: 'city' },
    ],
  }),
  'resources/read': ({ uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: `${uri}: ${counts.get(uri) ?? 0}` }],
  }),
  'resources/subscribe': ({ uri }) => {
    subscribed.add(uri);
    return {};
  },
  'resources/unsubscribe': ({ uri }) => {
    subscribed.delete(uri);
    return {};
  },
  'prompts/list': () => ({
    prompts: [{ name: 'travel', arguments: [{ name: 'city', required: true }, { name: 'season' }] }],
  }),
  'prompts/get': ({ arguments: { city } = {} }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Plan a trip to ${city}.` } }],
  }),
  'completion/complete': ({ argument: { name, value }, context }) => {
    const season = context?.arguments?.city ? [`spring in ${context.arguments.city}`] : ['spring', 'autumn'];
    const all = name === 'city' ? cities : name === 'season' ? season : [];
    const values = all.filter((each) => each.toLowerCase().startsWith(value.toLowerCase()));
    return { completion: { values, total: values.length, hasMore: false } };
  },
});
