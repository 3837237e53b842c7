import { expect, test } from 'vitest';
import { parseConnectArguments } from './connect-arguments.ts';

const refused: [what: string, words: string[], says: string][] = [
  ['no server', [], 'Name one server'],
  ['a server and all of them', ['weather', '--all'], 'Name one server'],
  ['an option that is none', ['weather', '--al'], 'Unknown option --al'],
  ['an unknown way to share', ['--share', 'cal', '--', 'node'], 'Write one of all, principal, client, call.'],
  ['sharing of a server of a config', ['weather', '--share', 'client'], '"share" in its entry'],
  ['a URL and a command', ['http://x.test', '--', 'node'], 'Name one server'],
  ['a URL with a config', ['http://x.test', '--config', 'x'], '--config cannot be used for a remote server'],
  ['tools of one server', ['weather', '--tools', 'search'], '--tools needs --all'],
  ['an unknown list of tools', ['--all', '--tools', 'few'], 'Write --tools search'],
  ['an unknown transport', ['http://x.test', '--transport', 'ws'], 'Write one of auto, http, sse.'],
  ['a header without a URL', ['weather', '--header', 'A: b'], '--header and --transport need a URL'],
  ['the value of a variable', ['--env', 'KEY=x', '--', 'node'], '--env accepts only names'],
  ['a variable that is not set', ['--env', 'KEY', '--', 'node'], '"env" of the entry'],
];

test.each(refused)('%s is refused before a host is started, with a hint', (_what, words, says) => {
  expect(() => parseConnectArguments(words, {})).toThrow(
    expect.toSatisfy(({ message, hint }: { message: string; hint?: string }) => `${message} ${hint}`.includes(says)),
  );
});

test('a command after -- defines a server with its variables, shared according to --share', () => {
  const { settings, use } = parseConnectArguments(['--env', 'KEY', '--share', 'call', '--', 'node', '-v'], {
    KEY: 'x',
  });
  expect(settings).toEqual({ shared: true });
  expect(use).toMatchObject({ brought: { name: 'node', args: ['-v'], env: { KEY: 'x' }, share: 'call' } });
});

test.each([[['--env', 'A', '--env', 'B']], [['--env', 'A,B']]])('%j passes two variables', (words) => {
  const { use } = parseConnectArguments([...words, '--', 'node'], { A: '1', B: '2' });
  expect(use).toMatchObject({ brought: { env: { A: '1', B: '2' } } });
});
