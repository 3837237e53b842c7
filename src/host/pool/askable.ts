// Client capabilities as names that can be compared: those of a client, of a host's handlers, and those declared to a process of a
// server before 2026-07-28, which learns them once, at initialization.

import { isObject } from '../../base/json-object.ts';
import type { InputCapability } from '../../config/server-config.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import { clientCapabilities, opaqueCapabilities } from '../../mcp/client/session/inputs.ts';
import type { ClientCapabilities } from '../../mcp/types.ts';

export type Askable = 'elicitation.form' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots' | Opaque;

/** An extension or an experimental capability, with its settings: `extensions {"com.example/any":{}}`. */
type Opaque = `${(typeof opaqueCapabilities)[number]} {${string}`;

/** Limits of what one client may declare to the processes of a server; the rest is not declared. */
const MOST_OPAQUE = 32;
const MOST_OPAQUE_CHARS = 2048;

/** `only` is `clientCapabilities` of the entry. */
export function isPermitted(askable: Askable, only: readonly InputCapability[]): boolean {
  return isQuestion(askable) ? only.includes(askable.split('.')[0] as InputCapability) : only.length > 0;
}

/** Whether a server that knows of the capability may ask questions. */
export function isQuestion(askable: Askable): boolean {
  return !askable.includes(' ');
}

function opaqueIn(capabilities: ClientCapabilities): Opaque[] {
  const found = opaqueCapabilities.flatMap((name) => {
    const declared: unknown = capabilities[name];
    if (!isObject(declared)) return [];
    return Object.entries(declared).map(([id, settings]) => `${name} ${JSON.stringify({ [id]: settings })}` as Opaque);
  });
  return found.filter(({ length }) => length <= MOST_OPAQUE_CHARS).slice(0, MOST_OPAQUE);
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
  if (only.length > 0 && (capabilities.extensions || capabilities.experimental)) found.push(...opaqueIn(capabilities));
  return found;
}

export function capabilitiesOf(askable: ReadonlySet<Askable>): ClientCapabilities {
  const form = askable.has('elicitation.form') && { form: {} };
  const url = askable.has('elicitation.url') && { url: {} };
  return {
    ...((form || url) && { elicitation: { ...form, ...url } }),
    ...(askable.has('sampling') && { sampling: askable.has('sampling.tools') ? { tools: {} } : {} }),
    ...(askable.has('roots') && { roots: { listChanged: true } }),
    ...unionOf([...askable].filter((each) => !isQuestion(each))),
  };
}

/** Clients with other settings for the same extension: those of the first are kept. */
function unionOf(askable: readonly Askable[]): Pick<ClientCapabilities, (typeof opaqueCapabilities)[number]> {
  const union: Record<string, Record<string, object>> = {};
  for (const each of askable) {
    const space = each.indexOf(' ');
    const name = each.slice(0, space);
    for (const [id, settings] of Object.entries(JSON.parse(each.slice(space)) as Record<string, object>)) {
      const known = union[name]?.[id];
      union[name] = { ...union[name], [id]: known ? { ...settings, ...known } : settings };
    }
  }
  return union;
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
