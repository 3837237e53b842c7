// Client capabilities as names that can be compared: those of a client, of a host's handlers, and those declared to a process of a
// server before 2026-07-28, which learns them once, at initialization.

import { isObject } from '../../base/json-object.ts';
import type { InputCapability } from '../../config/server-config.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import { clientCapabilities, opaqueCapabilities } from '../../mcp/client/session/inputs.ts';
import { legacyExtensions } from '../../mcp/extensions/extension.ts';
import type { ClientIdentity } from '../../mcp/service.ts';
import type { ClientCapabilities } from '../../mcp/types.ts';

export type Askable = 'elicitation.form' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots' | Opaque;

/** An extension or an experimental capability, with its settings: `extensions {"com.example/any":{}}`. */
type Opaque = `${(typeof opaqueCapabilities)[number]} {${string}`;

/** Limits of the extensions that one client may declare to the processes of a server. */
const MOST_OPAQUE = 32;
const MOST_OPAQUE_CHARS = 2048;

/** `only` is `clientCapabilities` of the entry. */
export function isPermitted(askable: Askable, only: readonly InputCapability[]): boolean {
  return isQuestion(askable) ? only.includes(askable.split('.')[0] as InputCapability) : only.length > 0;
}

/** Whether the capability permits questions of the server. */
export function isQuestion(askable: Askable): boolean {
  return !askable.includes(' ');
}

function opaqueIn(given: ClientCapabilities): Opaque[] {
  const capabilities = legacyExtensions(given);
  const found = opaqueCapabilities.flatMap((name) => {
    const declared: unknown = capabilities[name];
    if (!isObject(declared)) return [];
    return Object.entries(declared).map(([id, settings]) => `${name} ${JSON.stringify({ [id]: settings })}` as Opaque);
  });
  return found.filter(({ length }) => length <= MOST_OPAQUE_CHARS).slice(0, MOST_OPAQUE);
}

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

/**
 * The extensions with their settings. If clients declare one extension with different settings, the settings of the
 * first are kept.
 */
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

/** The capabilities that the handlers can answer at the moment. */
export function askableByHandlers(handlers: InputHandlers, only: readonly InputCapability[]): Askable[] {
  return handlers.isAnswered?.() === false ? [] : askableOf(clientCapabilities(handlers, 'legacy'), only);
}

/** Limits of the extensions and experimental capabilities that are declared to a shared process, and of those that one principal adds. */
const MOST_DECLARED = 256;
const MOST_OF_PRINCIPAL = 64;
/** Limit of the principals whose capabilities are known. The principal that was unused for longest is forgotten. */
const MOST_PRINCIPALS = 256;

/** The capabilities of the clients that share a process. Clients choose the names of extensions, so each principal has a share of them. */
export class ClientsAskable {
  readonly #questions = new Set<Askable>();
  /** The clients with each capability, by principal, the principal used last at the end. */
  readonly #opaque = new Map<string | undefined, Map<Askable, Set<string>>>();

  add({ principal, affinity }: ClientIdentity, askable: readonly Askable[]): void {
    let hasOpaque = false;
    for (const each of askable) {
      if (isQuestion(each)) this.#questions.add(each);
      else hasOpaque = true;
    }
    if (!hasOpaque) return;
    const own = this.#opaque.get(principal) ?? new Map<Askable, Set<string>>();
    this.#opaque.delete(principal);
    this.#opaque.set(principal, own);
    for (const each of askable) {
      if (isQuestion(each)) continue;
      const clients = own.get(each);
      if (clients) clients.add(affinity);
      else if (own.size < MOST_OF_PRINCIPAL) own.set(each, new Set([affinity]));
    }
    if (this.#opaque.size <= MOST_PRINCIPALS) return;
    const [unused] = this.#opaque.keys();
    this.#opaque.delete(unused);
  }

  gone({ principal, affinity }: ClientIdentity): void {
    const own = this.#opaque.get(principal);
    if (!own) return;
    for (const [each, clients] of own) if (clients.delete(affinity) && clients.size === 0) own.delete(each);
    if (own.size === 0) this.#opaque.delete(principal);
  }

  /** If there are more extensions than can be declared, each principal gets an equal number of them. */
  get all(): Set<Askable> {
    const all = new Set(this.#questions);
    const most = all.size + MOST_DECLARED;
    let left = [...this.#opaque.values()].map((own) => own.keys());
    while (left.length > 0 && all.size < most) {
      left = left.filter((own) => {
        const { value, done } = own.next();
        if (!done && all.size < most) all.add(value);
        return !done;
      });
    }
    return all;
  }
}
