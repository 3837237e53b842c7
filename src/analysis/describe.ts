// What a frame is, of either protocol. Whatever a peer sends, looking at it never fails: the Inspector may run in the same
// process as the host, and must not take it down.

import type { FrameEvent } from '../flow/event.ts';
import { describeFrame, type FrameDescription } from './describe-frame.ts';
import { describeLiteFrame } from './lite-frame.ts';

export interface Described extends FrameDescription {
  /** LiteMCP: the rules of MCP do not apply. */
  lite?: true;
}

export function describe(frame: FrameEvent): Described {
  try {
    const lite = describeLiteFrame(frame);
    return lite ? { ...lite, lite: true } : describeFrame(frame);
  } catch {
    return { kind: 'invalid', messages: [{ kind: 'invalid', problem: 'A message that cannot be made sense of' }] };
  }
}
