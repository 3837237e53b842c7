// Finds in definitions what a person does not see, or would not approve: hidden characters, sequences for a terminal, names that look
// alike, instructions against the user, secrets in defaults, and annotations that contradict names. Each finding is the rest of a sentence
// about the definition. The patterns are narrow: docs/check.md has what they find in definitions of real servers.

import { isObject, type JsonObject } from '../base/json-object.ts';

/** Nested values and texts that are read. */
const MOST_TEXTS = 2_000;
const MOST_CHARS = 20_000;

/** All texts of a definition, with their paths: names of members, and strings. */
function* textsIn(value: unknown): Generator<{ path: string; text: string }> {
  const stack: [path: string, value: unknown][] = [['', value]];
  for (let count = 0; stack.length > 0 && count < MOST_TEXTS; count++) {
    const [path, each] = stack.pop()!;
    if (typeof each === 'string') yield { path, text: each.slice(0, MOST_CHARS) };
    else if (isObject(each) || Array.isArray(each)) {
      for (const [key, member] of Object.entries(each).slice(0, MOST_TEXTS)) {
        const below = path === '' ? key : `${path}.${key}`;
        if (!Array.isArray(each)) yield { path: below, text: key };
        stack.push([below, member]);
      }
    }
  }
}

/** Zero width, fillers, invisible operators; joiners are judged apart. */
const invisible = /\u034f|[\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]/u;
const direction = /[\u202a-\u202e\u2066-\u2069]/u;
const rightToLeft = /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;
/** Tag characters, except in the flags of England, Scotland and Wales. */
const tags = /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0000}-\u{e007f}]/u;
/** Further variation selectors stand only after ideographs, and never one after another. */
const selectors = /(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}/u;
/** Joiners between Latin letters. In other scripts and in emoji they have a meaning. */
const joiners = /[\p{Script=Latin}\p{Nd}\s][\u200c\u200d]+[\p{Script=Latin}\p{Nd}\s]/u;

export function hiddenCharacters(definition: unknown): string | undefined {
  for (const { path, text } of textsIn(definition)) {
    const isMixed = rightToLeft.test(text);
    const patterns = [invisible, tags, selectors, joiners, ...(isMixed ? [] : [direction])];
    for (const pattern of patterns) {
      const [found] = pattern.exec(text) ?? [];
      if (found === undefined) continue;
      const code = [...found].map((character) => character.codePointAt(0)!).find((each) => !isVisible(each))!;
      return `has the invisible character U+${code.toString(16).toUpperCase().padStart(4, '0')} in \`${path}\``;
    }
  }
  return undefined;
}

function isVisible(code: number): boolean {
  return /[\p{L}\p{N}\s]/u.test(String.fromCodePoint(code)) && !invisible.test(String.fromCodePoint(code));
}

/** Control characters except tab, line feed and carriage return. ESC begins a sequence for a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u;

export function controlCharacters(definition: unknown): string | undefined {
  for (const { path, text } of textsIn(definition)) {
    const [found] = control.exec(text) ?? [];
    if (found === undefined) continue;
    const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `has the control character U+${code} in \`${path}\``;
  }
  return undefined;
}

/** Letters of other scripts that look like Latin letters in most fonts. */
const lookalikes = new Map(
  Object.entries({
    а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ё: 'e', һ: 'h', і: 'i', ї: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', о: 'o', р: 'p', ԛ: 'q', ѕ: 's', т: 't',
    у: 'y', ԝ: 'w', х: 'x', α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', ı: 'i', ɡ: 'g',
  }),
); // biome-ignore format: pairs

/** A form that is equal for names which look alike. */
export function lookOf(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase();
  return [...plain]
    .map((letter) => lookalikes.get(letter) ?? letter)
    .join('')
    .replace(/[1|]/g, 'l')
    .replaceAll('0', 'o');
}

const latin = /\p{Script=Latin}/u;
const otherLookalike = new RegExp(`[${[...lookalikes.keys()].filter((letter) => !latin.test(letter)).join('')}]`, 'iu');

/** `names`: of all definitions of the list. */
export function confusableName(name: string, names: readonly string[]): string | undefined {
  if (latin.test(name) && otherLookalike.test(name))
    return 'mixes Latin letters with letters of another script that look like them';
  const look = lookOf(name);
  const other = names.find((each) => each !== name && lookOf(each) === look);
  return other === undefined ? undefined : `looks like the name ${JSON.stringify(other)}`;
}

const user = '(?:the |your |any )?(?:users?|humans?|people|anyone|operator)';
const against = [
  new RegExp(`\\b(?:do not|don't|never|must not|should not|without)\\s+(?:ever )?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|show(?:ing)?)(?: (?:this|it|that|them|anything|about this))?(?: (?:to|about))? ${user}\\b`, 'i'),
  new RegExp(`\\b(?:hide|conceal|keep)\\b[^.\\n]{0,40}\\b(?:from|secret from|hidden from) ${user}\\b`, 'i'),
  /\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|earlier|above|other) (?:instructions?|prompts?|rules|messages)\b/i,
  /<(?:important|system|secret|hidden|instructions?)>/i,
  /(?:~|\$HOME|\/home\/\w+|\/root|%USERPROFILE%)[\\/]\.(?:ssh|aws|gnupg|config[\\/]gcloud|cursor|netrc|kube)\b/i,
  /\b(?:read|open|send|include|attach|pass|cat)\b[^.\n]{0,60}(?:\bid_rsa\b|\bid_ed25519\b|(?<![\w])\.env\b(?! (?:variables?|file of))|\bmcp\.json\b|\/etc\/passwd\b|\/etc\/shadow\b)/i,
]; // biome-ignore format: patterns

/** Instructions to a model that a description should not have. */
export function instructionsAgainstUser(definition: unknown): string | undefined {
  for (const { path, text } of textsIn(definition)) {
    for (const pattern of against) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) return `has ${JSON.stringify(found.slice(0, 120))} in \`${path}\``;
    }
  }
  return undefined;
}

/** `secretIn` returns true for a text that has the form of a secret; `isSecretName` for the name of a member that holds one. */
export function secretDefault(
  schema: unknown,
  secretIn: (text: string) => boolean,
  isSecretName: (name: string) => boolean,
): string | undefined {
  const stack: [path: string, schema: unknown][] = [['inputSchema', schema]];
  for (let count = 0; stack.length > 0 && count < MOST_TEXTS; count++) {
    const [path, each] = stack.pop()!;
    if (!isObject(each)) continue;
    for (const [key, value] of Object.entries(each)) {
      if (key === 'default' && typeof value === 'string' && isSecret(path, value))
        return `has a secret as \`default\` of \`${path}\``;
      if (isObject(value)) stack.push([`${path}.${key}`, value]);
    }
  }
  return undefined;

  function isSecret(path: string, value: string): boolean {
    if (secretIn(value)) return true;
    return isSecretName(path.split('.').at(-1)!) && value.length >= 8 && !isPlaceholder(value);
  }
}

function isPlaceholder(value: string): boolean {
  return /^[<[{$%]|[>\]}%]$|your|example|changeme|placeholder|xxx|\*\*\*|^(?:none|null|undefined|default|auto)$/i.test(
    value,
  );
}

const destroying = /^(?:delete|remove|drop|destroy|purge|truncate|erase|wipe|kill|terminate|uninstall)$/;
const writing = /^(?:overwrite|insert|send|publish|write|deploy|upload)$/;

/** The first word of the name decides: `delete_file`, `deleteFile`. */
export function contradictingAnnotations({ name, annotations }: JsonObject): string | undefined {
  if (typeof name !== 'string' || !isObject(annotations)) return undefined;
  const [verb = ''] =
    name
      .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  const { readOnlyHint, destructiveHint } = annotations;
  if (readOnlyHint === true && (destroying.test(verb) || writing.test(verb)))
    return `begins with "${verb}", and \`readOnlyHint\` is true`;
  if (readOnlyHint !== true && destructiveHint === false && destroying.test(verb))
    return `begins with "${verb}", and \`destructiveHint\` is false`;
  return undefined;
}
