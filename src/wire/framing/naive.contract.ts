// Reference implementations of the framings: whole streams as latin1 text, split and matched. They are slow and easy to
// check by eye; the decoders must agree with them in every event.

import type { FrameEvent } from './events.contract.ts';
import type { FrameFaultCode } from './framing.ts';

export type NaiveDecoder = (stream: string, maxFrameBytes: number) => FrameEvent[];

const PREFIX = 1024;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

const fault = (code: FrameFaultCode, offset: number, bytes: string, length = bytes.length): FrameEvent => ({
  fault: code,
  offset,
  length,
  prefix: bytes.slice(0, PREFIX),
});
const frameOrTooLong = (bytes: string, offset: number, max: number): FrameEvent =>
  bytes.length > max ? fault('FRAME_TOO_LONG', offset, bytes) : { frame: bytes, offset };
const cut = (bytes: string, offset: number, max: number): FrameEvent =>
  fault(bytes.length > max ? 'FRAME_TOO_LONG' : 'FRAME_TRUNCATED', offset, bytes);
const afterMark = (stream: string): number => (stream.startsWith(BYTE_ORDER_MARK) ? 3 : 0);

export const naiveNewline: NaiveDecoder = (stream, max) => {
  let offset = afterMark(stream);
  const lines = stream.slice(offset).split('\n');
  return lines.flatMap((line, i) => {
    const content = line.replace(/\r$/, '');
    const at = offset;
    offset += line.length + 1;
    if (content.length <= max && /^[ \t\r]*$/.test(content)) return [];
    return i === lines.length - 1 ? cut(content, at, max) : frameOrTooLong(content, at, max);
  });
};

export const naiveBlankLines: NaiveDecoder = (stream, max) => {
  const events: FrameEvent[] = [];
  let at = afterMark(stream);
  for (;;) {
    at += /^[\r\n]*/.exec(stream.slice(at))![0].length;
    const rest = stream.slice(at);
    const delimiter = /\r?\n\r?\n\r?\n/.exec(rest);
    if (!delimiter) {
      if (rest) events.push(cut(rest.replace(/(?:\r?\n){0,2}\r?$/, ''), at, max));
      return events;
    }
    events.push(frameOrTooLong(rest.slice(0, delimiter.index), at, max));
    at += delimiter.index + delimiter[0].length;
  }
};

/** The payload of an announced length at `at`: complete, too long or cut off. */
function counted(stream: string, at: number, length: number, max: number): FrameEvent {
  const bytes = stream.slice(at, at + length);
  if (length > max) return fault('FRAME_TOO_LONG', at, bytes, length);
  return bytes.length < length ? fault('FRAME_TRUNCATED', at, bytes) : { frame: bytes, offset: at };
}

export const naiveUint32 =
  (littleEndian: boolean): NaiveDecoder =>
  (stream, max) => {
    const events: FrameEvent[] = [];
    let at = 0;
    while (at < stream.length) {
      const header = stream.slice(at, at + 4);
      if (header.length < 4) return [...events, fault('FRAME_TRUNCATED', at, header)];
      const length = new DataView(Uint8Array.from(Buffer.from(header, 'latin1')).buffer).getUint32(0, littleEndian);
      events.push(counted(stream, at + 4, length, max));
      at += 4 + length;
    }
    return events;
  };

export const naiveHex: NaiveDecoder = (stream, max) => {
  const events: FrameEvent[] = [];
  let at = 0;
  while (at < stream.length) {
    const rest = stream.slice(at);
    const header = /[0-9a-f]{8}/i.exec(rest);
    const noise = header ? rest.slice(0, header.index) : rest;
    if (!header && /^[0-9a-f]*$/i.test(rest)) return [...events, fault('FRAME_TRUNCATED', at, rest)];
    if (noise) events.push(fault('FRAME_LENGTH_INVALID', at, noise));
    if (!header) return events;
    const length = Number.parseInt(header[0], 16);
    events.push(counted(stream, at + header.index + 8, length, max));
    at += header.index + 8 + length;
  }
  return events;
};

export const naiveFixed =
  (frameBytes: number, padding: string): NaiveDecoder =>
  (stream) => {
    const events: FrameEvent[] = [];
    for (let at = 0; at < stream.length; at += frameBytes) {
      const bytes = stream.slice(at, at + frameBytes);
      let end = bytes.length;
      while (bytes[end - 1] === padding) end--;
      if (bytes.length < frameBytes) events.push(fault('FRAME_TRUNCATED', at, bytes));
      else events.push({ frame: bytes.slice(0, end), offset: at });
    }
    return events;
  };

export const naiveContentLength: NaiveDecoder = (stream, max) => {
  const events: FrameEvent[] = [];
  let at = afterMark(stream);
  let block: { offset: number; lines: number; lengths: string[] } | undefined;
  while (at < stream.length) {
    const lf = stream.indexOf('\n', at);
    const raw = lf < 0 ? stream.slice(at) : stream.slice(at, lf);
    const line = raw.replace(/\r$/, '');
    const next = lf + 1;
    if (lf < 0) {
      if (block) events.push(fault('FRAME_TRUNCATED', block.offset, stream.slice(block.offset)));
      else if (line) events.push(fault(line.length > 8192 ? 'FRAME_LENGTH_INVALID' : 'FRAME_TRUNCATED', at, line));
      return events;
    }
    const whole = line.length <= 8192 ? /^content-([a-z-]+)[ \t]*:(.*)$/is.exec(line) : null;
    const stuck = whole ? null : /content-length[ \t]*:[ \t]*(\d{1,15})$/i.exec(line.slice(-64));
    const noise = whole || !line ? '' : line.slice(0, line.length - (stuck?.[0].length ?? 0));
    if (noise) events.push(fault('FRAME_LENGTH_INVALID', at, noise));
    if (whole || stuck) {
      block ??= { offset: at + noise.length, lines: 0, lengths: [] };
      block.lines++;
      if (stuck) block.lengths.push(stuck[1]!);
      else if (whole![1]!.toLowerCase() === 'length') block.lengths.push(whole![2]!.trim());
      if (block.lines > 64) {
        events.push(fault('FRAME_LENGTH_INVALID', block.offset, stream.slice(block.offset, next)));
        block = undefined;
      }
    }
    at = next;
    if (line || !block) continue;
    const [length, second] = block.lengths;
    if (length !== undefined && second === undefined && /^\d{1,15}$/.test(length)) {
      events.push(counted(stream, at, Number(length), max));
      at += Number(length);
    } else events.push(fault('FRAME_LENGTH_INVALID', block.offset, stream.slice(block.offset, next)));
    block = undefined;
  }
  if (block) events.push(fault('FRAME_TRUNCATED', block.offset, stream.slice(block.offset)));
  return events;
};
