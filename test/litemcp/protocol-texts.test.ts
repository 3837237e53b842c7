// The two requests and answers with which the protocol defines itself, byte for byte, in both roles. The protocol shows
// them on many lines; we write the same on one.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { calculator, type RawEnd, rawClientOf, rawServerOf } from '../../src/litemcp/memory.contract.ts';
import { canRun, node, path, python, startRaw } from './raw-process.ts';

const text = (name: string) => readFileSync(path(`test/fixtures/litemcp/protocol-texts/${name}.txt`), 'utf8');
const [getRequest, getResponse] = [text('get-request'), text('get-response')];
const [callRequest, callResponse] = [text('call-request'), text('call-response')];
/** A text ends with one newline, which is the first of the three. */
const framed = (text: string) => `${text}\n\n`;
const onOneLine = (text: string) => `${JSON.stringify(JSON.parse(text))}\n\n\n`;

test('the sequence is a request, three newlines, and its answer', () => {
  expect(text('sequence')).toBe(framed(getRequest) + getResponse);
});

const servers: [string, () => Promise<RawEnd>][] = [
  ['in this process', async () => (await rawClientOf(calculator())).raw],
  ['calculator.mjs', async () => startRaw(node('examples/litemcp/calculator.mjs')).raw],
  ['calculator.py', async () => startRaw(python('examples/litemcp/calculator.py')).raw],
];

describe.each(servers.filter(canRun))('the server: %s', (_name, start) => {
  test('answers both requests as the protocol shows them', async () => {
    const raw = await start();
    raw.write(framed(getRequest));
    expect(await raw.next()).toBe(onOneLine(getResponse));
    raw.write(framed(callRequest));
    expect(await raw.next()).toBe(onOneLine(callResponse));
    expect(raw.unread).toBe('');
  });
  test('answers requests on one line, with CRLF, and two at once', async () => {
    const raw = await start();
    raw.write(onOneLine(getRequest) + framed(callRequest).replaceAll('\n', '\r\n'));
    expect([await raw.next(), await raw.next()].sort()).toEqual(
      [onOneLine(getResponse), onOneLine(callResponse)].sort(),
    );
  });
});

describe('the client', () => {
  test('writes both requests, and reads both answers as the protocol shows them', async () => {
    const { raw, client } = await rawServerOf();
    const info = client.info();
    expect(await raw.next()).toBe(onOneLine(getRequest));
    raw.write(framed(getResponse));
    expect(await info).toEqual(JSON.parse(getResponse).data);
    const call = client.call(['2', '3']);
    expect(await raw.next()).toBe(onOneLine(callRequest));
    raw.write(framed(callResponse));
    expect(await call).toEqual(JSON.parse(callResponse).data);
    expect(raw.unread).toBe('');
  });
});
