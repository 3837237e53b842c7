// All scenarios for LiteMCP clients.

import { systemClock } from '../../../base/clock.ts';
import { type Answering, calculator, type LiteScenario, type PlayedLite } from './played-lite.ts';

const both = (answering: Answering) => ({ get: answering, call: answering });
const LARGE_CHARS = 1024 * 1024;
const SLOW_MS = 1_500;

/** A correct server. */
export const plain: LiteScenario = { name: 'plain' };

/** A server that ignores the end of its stdin and SIGTERM. */
export const stubborn: LiteScenario = { name: 'stubborn', ignoresEnd: true, timeoutMs: 30_000 };

/** A server that delays each answer. */
export const slow: LiteScenario = {
  name: 'slow',
  on: both((asked, played) => void systemClock.after(SLOW_MS, () => played.send(played.usual(asked)))),
};

/** A server whose answers have the layout of the specification and arrive in two pieces. */
export const printed: LiteScenario = {
  name: 'printed',
  on: both(async (asked, played) => {
    const text = Buffer.from(`${JSON.stringify(played.usual(asked), undefined, 4)}\n\n\n`);
    played.write(text.subarray(0, text.length / 2));
    await played.server.flushed(played.timeoutMs);
    played.write(text.subarray(text.length / 2));
  }),
};

/** A server that writes stray output, alone and on the lines before an answer. */
export const noisy: LiteScenario = {
  name: 'noisy',
  on: both((asked, played) => {
    played.write('Server is ready\n\n\n');
    played.write('handling a request\n');
    played.send(played.usual(asked));
  }),
};

/** A server that sends, before each answer, an answer to a request that the client did not send. */
export const strangers: LiteScenario = {
  name: 'strangers',
  on: both((asked, played) => {
    const answer = played.usual(asked);
    const other = { ...answer, id: strangeId(asked.id) };
    played.send(asked.type === 'get' ? { ...other, data: { ...calculator, name: OTHER_TOOL } } : other);
    played.send(answer);
  }),
};

export const OTHER_TOOL = 'Stranger';

function strangeId(id: unknown): number {
  return typeof id === 'number' ? id + 1_000_000 : -1;
}

/** A server whose tool has only the required fields, and null for the others. */
export const sparse: LiteScenario = {
  name: 'sparse',
  on: {
    get: (asked, played) => {
      const { version, name, parameters } = calculator;
      const [first, second] = parameters.map(({ name, type }) => ({ name, type }));
      const bare = {
        version,
        name,
        description: null,
        parameters: [first, { ...second, description: null, example: null }],
      };
      played.send({ ...played.usual(asked), data: bare });
    },
  },
};

/** A server whose messages have members that a later version may define. */
export const extended: LiteScenario = {
  name: 'extended',
  on: both((asked, played) => {
    const answer = played.usual(asked);
    played.send({ ...answer, later: { x: 1 }, data: { ...(answer.data as object), later: [1, 2] } });
  }),
};

/** A server whose tool has a large description. */
export const large: LiteScenario = {
  name: 'large',
  on: {
    get: (asked, played) => {
      played.send({ ...played.usual(asked), data: { ...calculator, description: 'large '.repeat(LARGE_CHARS / 6) } });
    },
  },
};

/** A server that writes 1 MiB to stderr before each answer. */
export const talkative: LiteScenario = {
  name: 'talkative',
  on: both(async (asked, played) => {
    played.server.writeStderr(`${'a line of a log '.repeat(8)}\n`.repeat(LARGE_CHARS / 128));
    if (!(await played.server.flushed(played.timeoutMs))) played.notes.set('stderr is full', true);
    played.send(played.usual(asked));
  }),
};

/** A server whose tool fails. */
export const failing: LiteScenario = {
  name: 'failing',
  on: {
    call: (asked, played) => {
      const content = [{ type: 'string', data: 'The tool has failed' }];
      const { version } = calculator;
      played.send({ ...played.usual(asked), data: { version, params: {}, response: { content, error: true } } });
    },
  },
};

const crash: Answering = (_asked: unknown, { server }: PlayedLite) => server.exit(1);

/** A server that exits instead of answering. */
export const crashing: LiteScenario = { name: 'crashing', on: { call: crash } };
export const crashingAtStart: LiteScenario = { name: 'crashing at start', on: { get: crash } };

/** Scenarios that take longest are started first. */
export const scenarios: readonly LiteScenario[] = [
  stubborn,
  slow,
  plain,
  printed,
  noisy,
  strangers,
  sparse,
  extended,
  large,
  talkative,
  failing,
  crashing,
  crashingAtStart,
];
