// A tap is transparent: every byte and every end passes as without it.

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { usually } from '../fixtures/repetitions.ts';
import { fixture, freshFile, isAlive, node, readEvents, startTap, until } from './tapped.ts';

const MB = 1024 * 1024;

describe('traffic', () => {
  const each = usually(4, 100);
  test(`${each} MB of random bytes in each direction arrive unchanged, recorded or not`, async () => {
    for (const tap of [[], ['--record', freshFile()]]) {
      const report = freshFile('json');
      const tapped = startTap([node, fixture('pours-and-hashes'), report, String(each * MB)], { tap, collects: false });
      const sent = createHash('sha256');
      const got = createHash('sha256');
      let gotBytes = 0;
      tapped.process.stdout.on('data', (chunk) => {
        gotBytes += chunk.length;
        got.update(chunk);
      });
      const { stdin } = tapped.process;
      for (let left = each * MB; left > 0; ) {
        const piece = randomBytes(Math.min(left, 1 + Math.floor(Math.random() * 300_000)));
        left -= piece.length;
        sent.update(piece);
        if (!stdin.write(piece)) await once(stdin, 'drain');
      }
      stdin.end();
      expect(await tapped.end()).toEqual({ exitCode: 0, signal: null });
      const server = JSON.parse(readFileSync(report, 'utf8'));
      expect([gotBytes, server.readBytes]).toEqual([each * MB, each * MB]);
      expect(got.digest('hex')).toBe(server.poured);
      expect(server.read).toBe(sent.digest('hex'));
    }
  });

  test('a byte arrives before its line ends, in both directions', async () => {
    const tapped = startTap([node, fixture('answers-byte-by-byte')]);
    for (const letter of 'ace') {
      const before = tapped.stdout.length;
      tapped.process.stdin.write(letter);
      await until(`an answer to ${letter}`, () => tapped.stdout.length > before);
    }
    expect(tapped.text).toBe('bdf');
  });

  test('stderr passes unchanged', async () => {
    const tapped = startTap(['sh', '-c', 'printf "no newline" >&2; read line; echo "got $line" >&2']);
    await until('half a line on stderr', () => tapped.stderr === 'no newline');
    tapped.process.stdin.write('it\n');
    await tapped.end();
    expect(tapped.stderr).toBe('no newlinegot it\n');
  });

  test('a message of 100 MB passes, and its start and end are recorded', async () => {
    const file = freshFile();
    const setup = { tap: ['--record', file], collects: false };
    const tapped = startTap([node, fixture('writes-one-huge-line'), '100'], setup);
    let bytes = 0;
    tapped.process.stdout.on('data', (chunk) => {
      bytes += chunk.length;
    });
    tapped.process.stdin.write('{"jsonrpc":"2.0","id":"last","method":"big"}\n');
    await until('all of it', () => bytes >= 100 * MB + 50);
    tapped.process.stdin.end();
    await tapped.end();
    const big = (await readEvents(file)).find((event) => event.kind === 'frame' && event.direction === 'fromServer');
    expect(big).toMatchObject({ cut: true, length: bytes - 1 });
    const { payload, tail } = big as { payload: Uint8Array; tail: Uint8Array };
    expect(Buffer.from(payload).toString()).toMatch(/^\{"result":\{"text":"x+$/);
    expect(Buffer.from(tail).toString()).toMatch(/^x+"\},"jsonrpc":"2.0","id":"last"\}$/);
  });
});

describe('backpressure', () => {
  test('a host that does not read holds the server back', async () => {
    const report = freshFile('txt');
    const tapped = startTap([node, fixture('pours-without-end'), report], { collects: false });
    const written = () => Number(readFileSync(report, { encoding: 'utf8', flag: 'a+' }));
    await until('it has begun', () => written() > 0);
    let before = -1;
    await until('it is held back', async () => {
      const now = written();
      const still = now === before;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return still;
    });
    expect(written()).toBeLessThan(8 * MB);
    let read = 0;
    tapped.process.stdout.on('data', (chunk) => {
      read += chunk.length;
    });
    await until('it flows again', () => read > 16 * MB);
  });

  test('a server that does not read holds the host back', async () => {
    const tapped = startTap(['sleep', '60']);
    const { stdin } = tapped.process;
    let taken = 0;
    const line = Buffer.alloc(64 * 1024, 'x');
    const pour = () => {
      while (stdin.write(line, () => (taken += line.length)) && stdin.writable);
    };
    stdin.on('drain', pour);
    pour();
    let before = -1;
    await until('it is held back', async () => {
      const still = taken === before;
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return still && taken > 0;
    });
    expect(taken).toBeLessThan(8 * MB);
  });
});

describe('ends', () => {
  test.each([0, 7, 255])('passes exit code %i on', async (code) => {
    const tapped = startTap(['sh', '-c', `echo out; echo err >&2; exit ${code}`]);
    expect(await tapped.end()).toEqual({ exitCode: code, signal: null });
    expect([tapped.text, tapped.stderr]).toEqual(['out\n', 'err\n']);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGABRT', 'SIGHUP'])(
    'a server that ends by %s: the tap ends by the same signal',
    async (signal) => {
      const tapped = startTap(['sh', '-c', `echo last words; kill -s ${signal.slice(3)} $$`]);
      expect(await tapped.end()).toEqual({ exitCode: null, signal });
      expect(tapped.text).toBe('last words\n');
    },
  );

  test('the end of stdin reaches the server, which still answers', async () => {
    const tapped = startTap(['sh', '-c', 'cat >/dev/null; sleep 0.2; echo all read']);
    tapped.process.stdin.end('words');
    expect(await tapped.end()).toEqual({ exitCode: 0, signal: null });
    expect(tapped.text).toBe('all read\n');
  });

  test('the end of stdout reaches the host while the server runs on', async () => {
    const tapped = startTap([node, fixture('closes-its-ends'), 'stdout']);
    await once(tapped.process.stdout, 'end');
    tapped.process.stdin.write('you?');
    await until('the server still writes', () => tapped.stderr === 'still here: you?');
    tapped.process.stdin.end();
    expect((await tapped.end()).exitCode).toBe(0);
  });

  test('a server that closes its stdin: the host finds the pipe closed', async () => {
    const tapped = startTap([node, fixture('closes-its-ends'), 'stdin']);
    await until('it reports that', () => tapped.text === 'closed\n');
    const failed = once(tapped.process.stdin, 'error');
    const timer = setInterval(() => tapped.process.stdin.write('x'), 5);
    const [error] = await failed;
    clearInterval(timer);
    expect(error.code).toBe('EPIPE');
    expect(isAlive(tapped.pid)).toBe(true);
  });

  test('the server gets EPIPE after the host has closed its reading end', async () => {
    const tapped = startTap(['sh', '-c', 'trap "" PIPE; while echo line; do sleep 0.05; done 2>/dev/null; exit 9']);
    await until('it has begun', () => tapped.text !== '');
    tapped.process.stdout.destroy();
    expect((await tapped.end()).exitCode).toBe(9);
  });

  test('a command that does not exist: exit code 127 and a hint, as in a shell', async () => {
    const tapped = startTap(['no-such-command']);
    expect(await tapped.end()).toEqual({ exitCode: 127, signal: null });
    expect(tapped.stderr).toContain('Cannot find the command "no-such-command"');
  });

  test('an invalid option: exit code 2 and a hint', async () => {
    const tapped = startTap(['true'], { tap: ['--recrod', 'x'] });
    expect((await tapped.end()).exitCode).toBe(2);
    expect(tapped.stderr).toContain('error: Unknown option --recrod\nhint: ');
    expect(tapped.stderr).toContain('standpipe tap [--record FILE | --keep]');
  });
});

test('the server gets the whole environment, the folder, and unchanged arguments', async () => {
  const words = ['a b', '"q"', '$HOME', '--', '--record', ''];
  const tapped = startTap(
    [
      node,
      '-e',
      'console.log(JSON.stringify([process.env.ODD_ONE, process.cwd(), process.argv.slice(1)]))',
      '--',
      ...words,
    ],
    { env: { ODD_ONE: 'kept' } },
  );
  expect([await tapped.end(), tapped.stderr]).toEqual([{ exitCode: 0, signal: null }, '']);
  expect(JSON.parse(tapped.text)).toEqual(['kept', process.cwd(), words]);
});
