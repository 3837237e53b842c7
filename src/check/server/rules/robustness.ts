// Rules about input that clients should not send. The server must answer the next request. How it answers the input itself is the subject of
// the rules about JSON-RPC.

import type { Fix } from '../../rule.ts';
import { before } from '../../rule.ts';
import { responses, shutdown } from '../../sources.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { Conversation } from '../conversation.ts';
import { type ServerRule, serverRows } from '../server-rule.ts';
import { allAnswered, burstOf, idsOf, needsStringIds } from './answers.ts';
import { ofLength } from './long-requests.ts';

const catchPerMessage: Fix = {
  python: 'Put json.loads and the handling of one message into try … except Exception, inside the read loop.',
  node: 'Put JSON.parse and the handling of one message into try … catch, inside the read loop.',
  java: 'Catch exceptions of the mapper and of the handler for each line, inside the read loop.',
  go: 'Report the error of json.Unmarshal and continue the loop; recover() from a panic of a handler.',
  rust: 'Handle the Err of serde_json::from_str and continue the loop, without unwrap().',
  dotnet: 'Catch JsonException for each line, inside the read loop.',
  any: 'Report an error in one message and continue with the next line.',
};

const ENDLESS = 8 * 1024 * 1024;
const HUGE_METHOD = 256 * 1024;
const MANY_MEMBERS = 20_000;

const input = { level: 'ADVICE', runs: 'once', uses: 'shared', fix: catchPerMessage, fixIsAboutEnd: true } as const;

const inputRules = serverRows(input, [
  {
    id: 'robustness/garbage-text',
    title: 'keep running after text that is not JSON',
    says: 'A line that is not JSON is an error of the client. It affects only this line, not the connection.',
    check: stillAnswers(() => ({
      'a line of prose': 'The quick brown fox jumps over the lazy dog.',
      'half of a JSON object': '{"jsonrpc":"2.0","id":',
      'the request of an HTTP client': 'GET / HTTP/1.1\r',
      'a Content-Length header': 'Content-Length: 12\r',
      'a line of closing brackets': '}]}]}"}',
    })),
  },
  {
    id: 'robustness/control-characters',
    title: 'keep running after control characters',
    says: 'A line with bytes such as NUL and ESC is an error of the client. It affects only this line, not the connection.',
    check: stillAnswers(() => ({
      'a line of control characters': Uint8Array.from([0, 1, 2, 3, 4, 7, 8, 27, 26, 28, 29, 30, 31, 127]),
      'NUL bytes': new Uint8Array(100),
    })),
  },
  {
    id: 'robustness/invalid-utf-8',
    title: 'keep running after bytes that are not UTF-8',
    says: 'Messages are UTF-8. A line with other bytes is an error of the client. It affects only this line, not the connection.',
    fix: {
      ...catchPerMessage,
      python: 'Read bytes from sys.stdin.buffer and decode each line separately, or set errors="replace".',
      rust: "Read bytes with read_until(b'\\n', …) and String::from_utf8_lossy: lines() ends at the first invalid byte.",
    },
    check: stillAnswers((conversation) => {
      const [start, end] = JSON.stringify(conversation.ping(undefined, { _meta: { text: '|' } })).split('|');
      const bytes = Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xe9, 0x80]);
      return {
        'bytes that are not UTF-8': bytes,
        'a request with such bytes in a string': Buffer.concat([Buffer.from(start!), bytes, Buffer.from(end!)]),
      };
    }),
  },
  {
    id: 'robustness/other-json',
    title: 'keep running after JSON that is not a message',
    says: 'A line of JSON that is not a message is an error of the client. It affects only this line, not the connection.',
    check: stillAnswers(() =>
      Object.fromEntries(
        ['null', 'true', '42', '"text"', '{}', '[[]]', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":42}'].map(
          (json) => [`\`${json}\``, json],
        ),
      ),
    ),
  },
  {
    id: 'robustness/deep-nesting',
    title: 'keep running after deeply nested JSON',
    says: 'JSON may be nested to any depth. A server with a limit reports an error and continues.',
    fix: {
      python: 'Catch RecursionError of json.loads as well as ValueError.',
      java: 'Set StreamReadConstraints.maxNestingDepth, and catch StackOverflowError of recursive parsers.',
      rust: 'Keep the recursion limit of serde_json.',
      any: 'Limit the nesting depth of JSON before or during parsing.',
    },
    isHeavy: true,
    check: stillAnswers((conversation) => {
      const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
      const request = (levels: number) => pingWith(conversation, `"deep":${nested(levels)}`);
      return {
        'a request nested 10,000 levels deep': request(10_000),
        'a request nested 200,000 levels deep': request(200_000),
        'an array that is opened 100,000 times and never closed': '['.repeat(100_000),
      };
    }),
  },
  {
    id: 'robustness/endless-line',
    title: 'keep running after a line of 8 MiB that is not a message',
    says: 'A server that limits the length of a line discards a longer line up to its newline and continues.',
    fix: 'Discard a line that is too long up to its newline, report an error, and continue reading.',
    isHeavy: true,
    check: stillAnswers(() => ({ 'a line of 8 MiB': Buffer.alloc(ENDLESS, 'a') })),
  },
  {
    id: 'robustness/huge-numbers',
    title: 'keep running after ids that exceed every number type',
    says: 'JSON does not limit numbers. A server that cannot represent an id reports an error and continues.',
    fix: {
      java: 'Read ids as Object or JsonNode, not as int or long.',
      dotnet: 'Read ids as JsonElement, not as int or long.',
      go: 'Read ids as json.RawMessage, not as int64.',
      rust: 'Read ids as serde_json::Value, not as u64.',
      any: 'Keep the id as the received JSON, and handle the error of the parser.',
    },
    check: stillAnswers((conversation) =>
      Object.fromEntries(
        ['1152921504606846977', '-18446744073709551617', '1e400', '-1e-400', '9'.repeat(1_000)].map((id) => [
          `a request with the id ${id.length > 30 ? `${id.slice(0, 10)}… (${id.length} digits)` : id}`,
          JSON.stringify(conversation.ping(0)).replace('"id":0', `"id":${id}`),
        ]),
      ),
    ),
  },
  {
    id: 'robustness/huge-method',
    title: 'keep running after a method name of 256 KiB',
    says: 'An unknown method is answered with an error, independently of the length of its name.',
    fix: 'Look up the method as it is, and shorten it where it is quoted or logged.',
    check: stillAnswers((conversation) => ({
      'a request with a method name of 256 KiB': JSON.stringify({
        ...conversation.ping(),
        method: 'm'.repeat(HUGE_METHOD),
      }),
    })),
  },
  {
    id: 'robustness/odd-members',
    title: 'keep running after unusual member names',
    says: 'Unknown members are ignored, including duplicate members, members with an empty name, and names with a meaning in a programming language.',
    fix: {
      ...catchPerMessage,
      node: 'Copy only members whose names you know; keep others in a Map or in an object without a prototype.',
    },
    check: stillAnswers((conversation) => ({
      'a member named `__proto__`': pingWith(
        conversation,
        '"__proto__":{"method":"x","toString":null},"constructor":null',
      ),
      'duplicate members': pingWith(conversation, '"twice":1,"twice":{"a":[]}').replace('{', '{"jsonrpc":"2.0",'),
      'members with an empty and with a very long name': pingWith(
        conversation,
        `"":1," ":2,"\\u0000":3,"${'n'.repeat(100_000)}":4`,
      ),
      'a request with 20,000 members': pingWith(
        conversation,
        Array.from({ length: MANY_MEMBERS }, (_, at) => `"m${at}":${at}`).join(),
      ),
    })),
  },
  {
    id: 'robustness/stray-responses',
    title: 'ignore responses to requests that it did not send',
    says: 'A response whose id does not belong to a request of the server has no effect.',
    until: '2025-11-25',
    check: stillAnswers(() => ({
      'a result for an unknown id': JSON.stringify({ jsonrpc: '2.0', id: 'never-sent', result: {} }),
      'an error for an unknown id': JSON.stringify({
        jsonrpc: '2.0',
        id: 987_654_321,
        error: { code: -32603, message: 'Unrelated to a request' },
      }),
    })),
  },
  {
    id: 'robustness/stray-notifications',
    level: 'MUST',
    title: 'keep running after cancellation and progress of unknown requests',
    says: 'Every request gets an answer, even after a cancellation of an unknown or finished request. Such a cancellation, and progress of an unknown request, are ignored.',
    source: responses,
    runs: 'each era',
    fix: 'Look up the request by its id, and do nothing if it does not exist.',
    check: stillAnswers((conversation) => {
      const cancelled = (requestId?: unknown) =>
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: conversation.params({ requestId, reason: 'A check' }) ?? {},
        });
      return {
        'a cancellation of an unknown request': cancelled('never-sent'),
        'a cancellation of a request that was answered': cancelled(1),
        'a cancellation without an id': cancelled(),
        'a cancellation with an object as id': cancelled({ wrong: true }),
        'progress of an unknown request': JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: conversation.params({ progressToken: 'never-given', progress: 1 }),
        }),
      };
    }),
  },
]);

/** `sent` maps descriptions to inputs. */
function stillAnswers(
  sent: (conversation: Conversation) => Readonly<Record<string, Uint8Array | string>>,
): ServerRule['check'] {
  return async (ruleRun) => {
    const conversation = await ruleRun.shared();
    for (const [what, bytes] of Object.entries(sent(conversation))) {
      const line = Buffer.concat([Buffer.from(bytes as string), Buffer.from('\n')]);
      await ofLength(ruleRun, line.length, async () => {
        conversation.probe.write(line);
        await conversation.probe.inputTaken(); // reading megabytes may take longer than the limit of one answer
        await conversation.barrier(what);
        await conversation.barrier(what); // a rejected promise may end a server after its next answer
        if (ruleRun.isAlone && (await ruleRun.endedLater())) {
          violation(`After ${what}, ${await conversation.probe.howItEnded()} by itself.`);
        }
      });
    }
  };
}

/** A request with these members in `_meta`. */
function pingWith(conversation: Conversation, members: string): string {
  return JSON.stringify(conversation.ping(undefined, { _meta: { odd: 0 } })).replace('"odd":0', () => members);
}

const THOUSAND = 1_000;
const SLOW_REQUESTS = 500;
const SLOW_PADDING = 4_000;
const BLOCKED_MS = 1_000;
/** Requests in a round. Each is answered before the next is sent. */
const ROUND = 16;
const ROUNDS = 5;
const PADDING = 256 * 1024;
/** Limit of the growth, as a multiple of the bytes sent. Healthy servers stay below 3; a virtual machine may collect garbage late. */
const GROWTH = 16;

const loadRules = serverRows({ level: 'MUST', runs: 'once', uses: 'shared', isHeavy: true }, [
  {
    id: 'robustness/thousand-requests',
    title: 'answer a thousand concurrent requests',
    says: 'A server answers every request, if only with an error. It does not drop requests that exceed its capacity. A server that takes more than 20 ms per request gets fewer requests, but at least 100.',
    source: responses,
    fix: 'Stop reading stdin while the queue is full, or answer with an error. Do not drop requests.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const length = await burstOf(conversation, THOUSAND);
      const pings = Array.from({ length }, () => conversation.ping(undefined, { _meta: { padding: 'x' } }));
      for (const ping of pings) conversation.probe.send(ping);
      await allAnswered(ruleRun, conversation, idsOf(pings), 'that were sent at once');
    },
  },
  {
    id: 'robustness/slow-reader',
    title: 'not lose answers while the client does not read',
    says: 'A server answers every request. While the client does not read, the pipe is full: the server waits and loses nothing.',
    source: responses,
    fix: {
      node: "Keep the data that process.stdout.write does not accept: it returns false and emits 'drain' later.",
      any: 'Wait until stdout accepts the whole message. Handle EAGAIN if you set it to non-blocking.',
    },
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      await needsStringIds(conversation); // long ids make long answers
      const length = await burstOf(conversation, SLOW_REQUESTS);
      const ids = Array.from({ length }, (_, at) => `slow-${at}-`.padEnd(SLOW_PADDING, '.'));
      probe.pauseReading();
      try {
        for (const id of ids) probe.send(conversation.ping(id));
        // Waits until the server has read all requests, or waits for the client. The verdict does not depend on the
        // time.
        await probe.inputTakenUntilIdle(BLOCKED_MS);
      } finally {
        probe.resumeReading();
      }
      await allAnswered(ruleRun, conversation, ids, 'that were sent while stdout was not read');
    },
  },
  {
    id: 'robustness/memory',
    level: 'ADVICE',
    title: 'keep memory bounded over many requests',
    says: 'A server that runs for days does not keep finished requests in memory.',
    fix: 'Look for tables and lists that get an entry for each message and keep it forever.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      const round = async () => {
        for (let n = 0; n < ROUND; n++) {
          const ping = conversation.ping(undefined, { _meta: { padding: 'x'.repeat(PADDING) } });
          await ofLength(ruleRun, PADDING, async () => {
            probe.send(ping);
            await probe.answerTo(ping.id, 'a request of 256 KiB');
          });
        }
        return probe.process.residentBytes() ?? notApplicable('this system does not report the memory of a process');
      };
      const atFirst = await round();
      let after = atFirst;
      for (let n = 1; n < ROUNDS; n++) after = await round();
      const sent = (ROUNDS - 1) * ROUND * PADDING;
      if (after - atFirst > GROWTH * sent) {
        violation(`After ${mib(sent)} of requests the server used ${mib(after - atFirst)} more memory than before.`);
      }
    },
  },
]);

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}

export const robustnessRules = [
  ...inputRules,
  ...loadRules,
  ...serverRows({ runs: 'once', uses: 'own' }, [
    {
      id: 'robustness/half-message-at-the-end',
      level: 'SHOULD',
      levels: before('2026-07-28', 'ADVICE'),
      title: 'exit when stdin ends inside a message',
      says: 'A server exits when its stdin ends, even in the middle of a message: the client may have been killed.',
      source: shutdown,
      fix: 'Exit at the end of stdin, even if the last message is incomplete.',
      check: async (ruleRun) => {
        const conversation = await ruleRun.open();
        const { probe } = conversation;
        await conversation.barrier();
        probe.write(JSON.stringify(conversation.ping()).slice(0, 20));
        probe.endInput();
        const status = await probe.exitStatus();
        if (!status) violation(`The server did not exit within ${probe.timeoutMs / 1000} s.`);
        if (status.signal) violation(`The server was ended by ${status.signal}.`);
      },
    },
  ]),
];
