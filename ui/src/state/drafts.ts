// Unsent arguments of tools, templates and prompts, kept in this browser until they are changed back or the limit is reached. Secrets
// are left out. Answers to questions are kept only in this tab.

import { useState } from 'react';
import { isSecretName } from '../../../src/base/secrets/secret-names.ts';
import type { Schema } from '../api/shapes.ts';
import { entriesOf, parseExact, WrittenNumber, WrittenObject, writeExact } from '../json/exact-json.ts';
import { settled } from '../schema-form/read-schema.ts';
import type { DraftKeeper, Held } from '../schema-form/use-draft.ts';

const KEY = 'standpipe-drafts';
const MAX_DRAFTS = 200;
const MAX_DRAFT_CHARACTERS = 100_000;
const MAX_CHARACTERS = 1_000_000;
const DELAY_MS = 200;

/** A draft as it is stored. The value is JSON text, which keeps all digits. */
type Kept = Omit<Held, 'value'> & { json: string };

let kept: Map<string, Kept> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

function all(): Map<string, Kept> {
  if (kept) return kept;
  try {
    kept = new Map(Object.entries(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, Kept>));
  } catch {
    kept = new Map(); // another version of the page wrote it
  }
  return kept;
}

function store(): void {
  clearTimeout(timer);
  timer = undefined;
  const drafts = all();
  let characters = 0;
  const fitting: [string, Kept][] = [];
  for (const entry of [...drafts].reverse().slice(0, MAX_DRAFTS)) {
    characters += entry[1].json.length;
    if (characters <= MAX_CHARACTERS) fitting.unshift(entry);
  }
  kept = new Map(fitting);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // The storage is full or forbidden: the drafts stay until the page is closed.
  }
}

addEventListener('pagehide', () => timer !== undefined && store());

/** `key`: what the draft is for. */
export function draftKeeper(key: string, schema: Schema): DraftKeeper {
  return {
    read() {
      const draft = all().get(key);
      if (!draft) return undefined;
      try {
        const { json, ...held } = draft;
        return { ...held, value: parseExact(json) };
      } catch {
        return undefined; // another version of the page wrote it
      }
    },
    keep({ value, text, ...held }) {
      const safe = withoutSecrets(value, schema, schema);
      const json = writeExact(safe);
      all().delete(key); // the newest is the last
      if (json.length > MAX_DRAFT_CHARACTERS) return;
      // Typed text may hold a secret wherever the value does.
      const isWhole = json === writeExact(value);
      all().set(key, isWhole ? { ...held, text, json } : { ...held, typed: {}, json });
      timer ??= setTimeout(store, DELAY_MS);
    },
  };
}

/** Drafts of answers to questions: closing the dialog keeps them, closing the tab does not. */
const answers = new Map<string, unknown>();
const MAX_ANSWERS = 100;

function keepAnswer(id: string, answer: unknown): void {
  answers.delete(id);
  answers.set(id, answer);
  for (const oldest of answers.keys()) if (answers.size > MAX_ANSWERS) answers.delete(oldest);
}

export function answerKeeper(id: string): DraftKeeper {
  return { read: () => answers.get(id) as Held | undefined, keep: (held) => keepAnswer(id, held) };
}

/** The state of a form for the answer to a question. */
export function useKeptAnswer<T>(id: string, first: T): [answer: T, keep: (answer: T) => void] {
  const [answer, setAnswer] = useState(() => (answers.get(id) as T | undefined) ?? first);
  const keep = (next: T) => {
    keepAnswer(id, next);
    setAnswer(next);
  };
  return [answer, keep];
}

const MAX_DEPTH = 32;

/** The value without members that are secret by name or by schema. */
function withoutSecrets(value: unknown, given: Schema, root: Schema, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber || depth > MAX_DEPTH) return value;
  const schema = settled(given, root);
  if (Array.isArray(value)) {
    return value.map((item) => withoutSecrets(item, (schema.items ?? {}) as Schema, root, depth + 1));
  }
  const members = (schema.properties ?? {}) as Record<string, Schema>;
  const entries = entriesOf(value).flatMap(([name, member]) => {
    const own = Object.hasOwn(members, name) ? settled(members[name], root) : {};
    const isSecret = isSecretName(name) || own.format === 'password' || own.writeOnly === true;
    return isSecret ? [] : [[name, withoutSecrets(member, own, root, depth + 1)] as const];
  });
  return value instanceof WrittenObject ? new WrittenObject(entries) : Object.fromEntries(entries);
}
