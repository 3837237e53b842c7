// The frames of a violation without the handshake and without requests that only test whether the program answers. A repeated line is shown
// once, unless it answers a request.

import { isObject } from '../../base/json-object.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import { parsed } from '../parsed-json.ts';
import type { EvidenceLine } from './report.ts';

function isPadding(method: unknown): boolean {
  return method === 'ping' || methodsOfMcp.get(method as string)?.isHandshake === true;
}

/** A request and its answer are left out together. If this would leave nothing, all frames are shown. */
export function relevantFrames(evidence: readonly EvidenceLine[]): readonly EvidenceLine[] {
  const received = evidence.map(({ kind, text }) => (kind === 'received' ? messageIn(text) : undefined));
  const answersTo = (id: unknown) =>
    received.flatMap((message, at) => (message && message.method === undefined && message.id === id ? [at] : []));
  const left = new Set<number>();
  for (const [at, { kind, text }] of evidence.entries()) {
    if (kind !== 'sent') continue;
    const sent = text.trimEnd().split('\n').map(messageIn); // one write may have several messages
    if (!sent.every((message) => isPadding(message?.method))) continue;
    const answers = sent.map((message) => (message!.id === undefined ? undefined : answersTo(message!.id)));
    const isUsual = answers.every((each) => !each || (each.length === 1 && isObject(received[each[0]!]?.result)));
    if (isUsual) for (const each of [at, ...answers.flatMap((found) => found ?? [])]) left.add(each);
  }
  const isShown = ({ kind, text }: EvidenceLine, at: number) =>
    !left.has(at) && !(kind === 'event' && text.startsWith('started: ')) && !isRepeated(evidence, at);
  const shown = evidence.filter((line, at) => isShown(line, at) && !causedRepetition(evidence, at));
  return shown.some(({ kind }) => kind !== 'event') ? shown : evidence;
}

/** Whether all lines that the sent entry caused are already shown. */
function causedRepetition(evidence: readonly EvidenceLine[], at: number): boolean {
  if (evidence[at]!.kind !== 'sent') return false;
  const next = evidence.findIndex(({ kind }, index) => index > at && kind === 'sent');
  const caused = evidence.slice(at + 1, next < 0 ? undefined : next);
  return caused.length > 0 && caused.every((_, index) => isRepeated(evidence, at + 1 + index));
}

function isRepeated(evidence: readonly EvidenceLine[], at: number): boolean {
  const { kind, text } = evidence[at]!;
  if (messageIn(text)?.id != null) return false; // a second answer is relevant
  return kind === 'received' && evidence.slice(0, at).some((line) => line.kind === kind && line.text === text);
}

function messageIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsed(text);
  return isObject(value) ? value : undefined;
}
