// Placeholders stand for secrets in a recording.

/** Those of this program, and those of imported captures (convert/captured-fact.ts). */
const placeholder = /\[redacted\]|\[env [^\]]{1,200}\]|\[REDACTED(?::[a-z]+:[0-9a-f]{8})?\]/;

export function hasPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Replaces `[env NAME]` with the value of the variable, if the value is given. */
export function filledIn(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\[env ([^\]]{1,200})\]/g, (found, name: string) =>
    Object.hasOwn(env, name) ? (env[name] ?? found) : found,
  );
}

/** Whether the value equals the recorded text but for its placeholders: the parts around them occur in the value, in order. */
export function standsFor(recorded: unknown, value: unknown): boolean {
  if (typeof recorded !== 'string' || value === undefined) return false;
  const parts = recorded.split(placeholder);
  if (parts.length === 1) return false;
  if (parts.every((part) => part === '')) return true; // a number or an object may be secret as a whole
  if (typeof value !== 'string') return false;
  const last = parts.pop()!;
  const [first = '', ...between] = parts;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const part of between) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.length >= at + last.length && value.endsWith(last);
}
