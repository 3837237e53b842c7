// One tool for each feature that the page shows.

import { setTimeout as wait } from 'node:timers/promises';
import { ask, send } from './line-peer.mjs';
import { picture, sound } from './media.mjs';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const none = { type: 'object', properties: {} };

export const tools = [
  {
    name: 'echo',
    description: 'Says what it is told.',
    annotations: { readOnlyHint: true, idempotentHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to say' },
        times: { type: 'integer', default: 1, minimum: 1, maximum: 5 },
      },
      required: ['text'],
    },
    run: ({ text: words, times = 1 }) => text(Array(times).fill(words).join('\n')),
  },
  {
    name: 'add',
    title: 'Add numbers',
    description: 'Adds two numbers and gives the sum as structured content.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    run: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b, of: [a, b] } }),
  },
  {
    name: 'order',
    title: 'Order a meal',
    description: 'Takes arguments of every shape and gives them back.',
    inputSchema: {
      type: 'object',
      properties: {
        dish: { type: 'string', enum: ['soup', 'pasta', 'salad'], default: 'soup' },
        portions: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        hot: { type: 'boolean', default: true },
        extras: { type: 'array', items: { type: 'string', enum: ['bread', 'cheese', 'olives'] } },
        guests: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
            required: ['name'],
          },
        },
        address: {
          type: 'object',
          description: 'Where to bring it',
          properties: { street: { type: 'string' }, city: { $ref: '#/$defs/city' } },
          required: ['street'],
        },
        payment: {
          oneOf: [
            {
              title: 'Card',
              type: 'object',
              properties: { kind: { const: 'card' }, number: { type: 'string' } },
              required: ['kind', 'number'],
            },
            {
              title: 'Cash',
              type: 'object',
              properties: { kind: { const: 'cash' }, change: { type: 'number', default: 20 } },
              required: ['kind'],
            },
          ],
        },
        anything: { description: 'Any JSON at all' },
      },
      required: ['dish', 'address', 'payment'],
      $defs: { city: { type: 'string', title: 'City', default: 'Oslo' } },
    },
    run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }], structuredContent: args }),
  },
  {
    name: 'show',
    title: 'Show media',
    description: 'A picture, a sound, a link and a resource inside of the answer.',
    inputSchema: none,
    run: () => ({
      content: [
        { type: 'text', text: 'All kinds of content:' },
        { type: 'image', mimeType: 'image/png', data: picture() },
        { type: 'audio', mimeType: 'audio/wav', data: sound() },
        {
          type: 'resource_link',
          uri: 'note://today',
          name: 'today',
          description: 'The note of today',
          mimeType: 'text/plain',
        },
        { type: 'resource', resource: { uri: 'note://inside', mimeType: 'text/plain', text: 'Inside of the answer' } },
      ],
    }),
  },
  {
    name: 'identify',
    description: 'Takes an id of 64 bits. The wire shows which.',
    inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    run: () => text('Seen.'),
  },
  {
    name: 'report',
    description: 'A report in Markdown, with a link to a resource that no list names.',
    inputSchema: none,
    run: () => ({
      content: [
        {
          type: 'text',
          text: '# Menu\n\n- **soup**, see [the recipe](https://example.com/soup)\n- <img src=x onerror=alert(1)>\n\n| dish | price |\n| --- | --- |\n| soup | `5` |\n',
        },
        { type: 'resource_link', uri: 'note://secret-menu', name: 'secret menu' },
      ],
    }),
  },
  {
    name: 'fail',
    description: 'Reports an error, as a tool does.',
    inputSchema: none,
    run: () => ({ ...text('The oven is cold.'), isError: true }),
  },
  {
    name: 'work',
    description: 'Takes its time and reports progress. Can be cancelled.',
    inputSchema: {
      type: 'object',
      properties: { steps: { type: 'integer', default: 5 }, stepMs: { type: 'integer', default: 200 } },
    },
    run: work,
  },
  { name: 'ask', description: 'Asks the user for a name and a colour.', inputSchema: none, run: askUser },
  { name: 'think', description: 'Asks the client’s model.', inputSchema: none, run: think },
  {
    name: 'pollute',
    description: 'Prints a line to stdout that is no message.',
    inputSchema: none,
    run: () => {
      process.stdout.write('DEBUG: connected to database\n');
      process.stderr.write('warning: somebody prints to stdout\n');
      return text('Printed.');
    },
  },
  {
    name: 'complain',
    description: 'Writes a line to stderr.',
    inputSchema: none,
    run: () => {
      process.stderr.write('the newest complaint\n');
      return text('Written.');
    },
  },
  {
    name: 'crash',
    description: 'Ends the process without an answer.',
    annotations: { destructiveHint: true },
    inputSchema: none,
    run: () => {
      process.stderr.write(
        'Traceback (most recent call last):\n  File "kitchen.py", line 42, in cook\nOvenError: no gas\n',
      );
      return new Promise(() => setTimeout(() => process.exit(3), 20));
    },
  },
  {
    name: 'large',
    description: 'An answer of the wished size.',
    inputSchema: { type: 'object', properties: { kilobytes: { type: 'integer', default: 400 } } },
    run: ({ kilobytes = 400 }) => text('0123456789abcdef'.repeat(64 * kilobytes)),
  },
];

async function work({ steps = 5, stepMs = 200 }, { progressToken, signal }) {
  for (let step = 1; step <= steps && !signal.aborted; step++) {
    await wait(stepMs);
    if (progressToken === undefined || signal.aborted) continue;
    send({
      method: 'notifications/progress',
      params: { progressToken, progress: step, total: steps, message: `step ${step}` },
    });
  }
  return text(`Done in ${steps} steps.`);
}

async function askUser() {
  const { result, error } = await ask('elicitation/create', {
    message: 'Who are you, and what do you like?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name' },
        colour: { type: 'string', enum: ['red', 'green', 'blue'] },
      },
      required: ['name'],
    },
  });
  return text(JSON.stringify(result ?? error));
}

async function think() {
  const { result, error } = await ask('sampling/createMessage', {
    systemPrompt: 'Answer in one word.',
    messages: [{ role: 'user', content: { type: 'text', text: 'What is the colour of the sky?' } }],
    maxTokens: 20,
  });
  return text(JSON.stringify(result?.content ?? error));
}
