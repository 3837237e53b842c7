import { expect, test } from 'vitest';
import { unwrapText, wrapText } from './wrap-servers.ts';

/** Number of characters that `task` copies with slice and substring. */
function charsCut(task: () => void): number {
  const methods = ['slice', 'substring'] as const;
  const { slice, substring } = String.prototype;
  let chars = 0;
  for (const [at, method] of [slice, substring].entries()) {
    String.prototype[methods[at]!] = function (this: string, from: number, to?: number) {
      const cut = Reflect.apply(method, this, [from, to]) as string;
      chars += cut.length;
      return cut;
    };
  }
  try {
    task();
  } finally {
    Object.assign(String.prototype, { slice, substring });
  }
  return chars;
}

test('wrapping and unwrapping a file with many servers copies an amount of text proportional to its length', () => {
  const entry = (at: number) => (at % 2 ? { command: 'node' } : { args: ['x'], command: 'node' });
  const mcpServers = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`s${at}`, entry(at)]));
  const options = { wrapper: 'connect' as const, words: (name: string) => ['standpipe', 'connect', '--name', name] };
  for (const text of [JSON.stringify({ mcpServers }), JSON.stringify({ mcpServers }, null, 2)]) {
    let [wrapped, unwrapped] = ['', ''];
    const chars = charsCut(() => {
      wrapped = wrapText(text, 'mcp.json', options).text;
      unwrapped = unwrapText(wrapped, 'mcp.json', [text], options).text;
    });
    expect(wrapped.match(/"--name"/g)).toHaveLength(1000);
    expect(unwrapped).toBe(text);
    expect(chars).toBeLessThan(100 * wrapped.length);
  }
});
