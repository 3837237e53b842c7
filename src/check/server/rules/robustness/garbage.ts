// Input that is no message, or hardly one.

import { catchPerMessage, stillAnswers } from './still-answers.ts';

export const garbageText = stillAnswers({
  id: 'robustness/garbage-text',
  title: 'survive text that is not JSON',
  says: 'A line that is not JSON is an error of the client. It costs this line, not the connection.',
  fix: catchPerMessage,
  sent: () => ({
    'a line of prose': 'The quick brown fox jumps over the lazy dog.',
    'half of a JSON object': '{"jsonrpc":"2.0","id":',
    'the request of an HTTP client': 'GET / HTTP/1.1\r',
    'a Content-Length header': 'Content-Length: 12\r',
    'a line of closing brackets': '}]}]}"}',
  }),
});

export const garbageControl = stillAnswers({
  id: 'robustness/control-characters',
  title: 'survive control characters',
  says: 'A line with bytes such as NUL and ESC is an error of the client. It costs this line, not the connection.',
  fix: catchPerMessage,
  sent: () => ({
    'a line of control characters': Uint8Array.from([0, 1, 2, 3, 4, 7, 8, 27, 26, 28, 29, 30, 31, 127]),
    'NUL bytes': new Uint8Array(100),
  }),
});

export const invalidUtf8 = stillAnswers({
  id: 'robustness/invalid-utf-8',
  title: 'survive bytes that are not UTF-8',
  says: 'Messages are UTF-8. A line that is not is an error of the client. It costs this line, not the connection.',
  fix: {
    ...catchPerMessage,
    python: 'Read bytes from sys.stdin.buffer and decode each line on its own, or set errors="replace".',
    rust: "Read bytes with read_until(b'\\n', …) and String::from_utf8_lossy: lines() ends at the first invalid byte.",
  },
  sent: (conversation) => {
    const [start, end] = JSON.stringify(conversation.ping(undefined, { _meta: { text: '|' } })).split('|');
    const bytes = Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xe9, 0x80]);
    return {
      'bytes that are not UTF-8': bytes,
      'a request with such bytes in a string': Buffer.concat([Buffer.from(start!), bytes, Buffer.from(end!)]),
    };
  },
});

export const otherJson = stillAnswers({
  id: 'robustness/other-json',
  title: 'survive JSON that is not a message',
  says: 'A line of JSON that is not a message is an error of the client. It costs this line, not the connection.',
  fix: catchPerMessage,
  sent: () =>
    Object.fromEntries(
      ['null', 'true', '42', '"text"', '{}', '[[]]', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","method":42}'].map(
        (json) => [`\`${json}\``, json],
      ),
    ),
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

export const deepNesting = stillAnswers({
  id: 'robustness/deep-nesting',
  title: 'survive deeply nested JSON',
  says: 'JSON may be nested to any depth. A server that has a limit reports an error and goes on.',
  fix: {
    python: 'Catch RecursionError of json.loads as well as ValueError.',
    java: 'Set StreamReadConstraints.maxNestingDepth, and catch StackOverflowError of recursive parsers.',
    rust: 'Keep the recursion limit of serde_json.',
    any: 'Limit the depth of JSON before or while it is parsed, and do not parse by recursion without a limit.',
  },
  isHeavy: true,
  sent: (conversation) => {
    const request = (levels: number) =>
      JSON.stringify(conversation.ping(undefined, { _meta: { deep: 0 } })).replace(
        '"deep":0',
        `"deep":${nested(levels)}`,
      );
    return {
      'a request that is nested 10,000 levels deep': request(10_000),
      'a request that is nested 200,000 levels deep': request(200_000),
      'an array that is opened 100,000 times and never closed': '['.repeat(100_000),
    };
  },
});

const ENDLESS = 8 * 1024 * 1024;

export const endlessLine = stillAnswers({
  id: 'robustness/endless-line',
  title: 'survive a line of 8 MiB that is not a message',
  says: 'A server that limits the length of a line discards a longer one up to its newline, and goes on.',
  fix: { any: 'Discard a line that is too long up to its newline, report an error, and read on.' },
  isHeavy: true,
  sent: () => ({ 'a line of 8 MiB': Buffer.alloc(ENDLESS, 'a') }),
});
