// Hides the values of a child's `env` in text that people will read: error messages, command lines, stderr tails.
// A value is found as it is and as JSON would escape it, since programs like to print their settings as JSON.
// Known shortcuts: values under four characters are left alone (masking every "1" or "on" would make the text useless
// and hide nothing worth hiding), PATH is left alone (an error about a missing command must show what was searched),
// and a value cut in two by the start of a truncated tail is not recognised.

const shortestSecret = 4;

export type Mask = (text: string) => string;

/** `secrets`: values to hide that are in no variable of the child. */
export function maskValues(
  env: Readonly<Record<string, string | undefined>> = {},
  secrets: readonly string[] = [],
): Mask {
  const nameOf = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name.toUpperCase() === 'PATH') continue;
    for (const form of [value, JSON.stringify(value).slice(1, -1)]) {
      if (form.length >= shortestSecret && !nameOf.has(form)) nameOf.set(form, name);
    }
  }
  for (const secret of secrets) {
    if (secret.length >= shortestSecret && !nameOf.has(secret)) nameOf.set(secret, '');
  }
  if (nameOf.size === 0) return (text) => text;

  // One pass, so that a mask is never masked again; longest first, so that a value containing another wins whole.
  const longestFirst = [...nameOf.keys()].sort((a, b) => b.length - a.length);
  const anyValue = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g');
  return (text) => text.replace(anyValue, (value) => (nameOf.get(value) ? `[env ${nameOf.get(value)}]` : '[secret]'));
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
