// Client capabilities as names that can be compared: those of a client, of a host's handlers, and those declared to a process of a
// server before 2026-07-28, which learns them once, at initialization.

import type { InputCapability } from '../../config/server-config.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import { clientCapabilities } from '../../mcp/client/session/inputs.ts';
import type { ClientCapabilities } from '../../mcp/types.ts';

export type Askable = 'elicitation.form' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

export function capabilityOf(askable: Askable): InputCapability {
  return askable.split('.')[0] as InputCapability;
}

/** `only` is `clientCapabilities` of the entry. */
export function askableOf(capabilities: ClientCapabilities, only: readonly InputCapability[]): Askable[] {
  const { elicitation, sampling, roots } = capabilities;
  const found: Askable[] = [];
  if (elicitation && only.includes('elicitation')) {
    // Before 2025-11-25 an empty `elicitation` meant forms.
    if (elicitation.form || !elicitation.url) found.push('elicitation.form');
    if (elicitation.url) found.push('elicitation.url');
  }
  if (sampling && only.includes('sampling')) {
    found.push('sampling');
    if (sampling.tools) found.push('sampling.tools');
  }
  if (roots && only.includes('roots')) found.push('roots');
  return found;
}

export function capabilitiesOf(askable: ReadonlySet<Askable>): ClientCapabilities {
  const form = askable.has('elicitation.form') && { form: {} };
  const url = askable.has('elicitation.url') && { url: {} };
  return {
    ...((form || url) && { elicitation: { ...form, ...url } }),
    ...(askable.has('sampling') && { sampling: askable.has('sampling.tools') ? { tools: {} } : {} }),
    ...(askable.has('roots') && { roots: { listChanged: true } }),
  };
}

/** The handlers without the capabilities that the entry excludes. */
export function usableHandlers(handlers: InputHandlers, only: readonly InputCapability[]): InputHandlers {
  const { elicit, sample, roots, capabilities, ...rest } = handlers;
  return {
    ...rest,
    ...(elicit && only.includes('elicitation') && { elicit }),
    ...(sample && only.includes('sampling') && { sample }),
    ...(roots && only.includes('roots') && { roots }),
    ...(capabilities && only.length > 0 && { capabilities }),
  };
}

/** The capabilities that a handler can answer at the moment. */
export function askableByHandlers(handlers: InputHandlers, only: readonly InputCapability[]): Askable[] {
  return handlers.isAnswered?.() === false ? [] : askableOf(clientCapabilities(handlers, 'legacy'), only);
}
