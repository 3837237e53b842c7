// Redacts data before it leaves the process: known values (mask-values.ts), values of secret names (secret-names.ts), texts with
// the form of a secret (redact-text.ts), and configured JSON paths. In JSON only values change, and the document stays valid.
// Not found: a known value at the cut of a frame that is too long to be kept; a secret that is encoded (base64) or written with
// unnecessary escapes; secrets without a recognisable name or form.

import { isJson } from '../json-object.ts';
import { parseJsonPath } from './json-path.ts';
import type { Mask } from './mask-values.ts';
import { maskForms, REDACTED } from './mask-values.ts';
import { type JsonRules, redactJson } from './redact-json.ts';
import { mayHoldSecret, redactText } from './redact-text.ts';
import { isSecretName } from './secret-names.ts';

export interface RedactOptions {
  /** Hides known values, such as those of the server's `env` (mask-values.ts). */
  mask?: Mask;
  /** Further secret keys, besides the well-known ones. */
  keys?: readonly string[];
  /** Paths of secret values in a message, such as `params.arguments.card` or `**.ssn`. */
  paths?: readonly string[];
  /** Called with each secret that was recognised by its name or its form. */
  onSecret?: (secret: string) => void;
}

/** Returns the same string if there was nothing to hide. */
export type Redact = (text: string) => string;

const beginsAsMessage = /^\s*(?:\{\s*["}]|\[\s*\{\s*")/;

export function redactor({ mask = maskForms(new Map()), keys = [], paths = [], onSecret }: RedactOptions = {}): Redact {
  const hide = hider(mask, onSecret);
  const extra = new Set(keys.map((key) => key.toLowerCase()));
  const inText: Redact = (text) => mask(mayHoldSecret(text) ? redactText(text, hide) : text);
  const rules: JsonRules = {
    isSecret: (key) => isSecretName(key) || extra.has(key.toLowerCase()),
    paths: paths.map(parseJsonPath),
    redactString: inText,
    hide,
  };
  const always = extra.size > 0 || paths.length > 0;
  return (text) => {
    if (!always && !mayHoldSecret(text) && mask(text) === text) return text;
    return beginsAsMessage.test(text) || isJson(text) ? redactJson(text, rules) : inText(text);
  };
}

const isName = /^\[env [^\]]+\]$/;

/** The replacement for a secret: the name of its variable, if that is known. */
export function hider(mask: Mask, onSecret?: (secret: string) => void): (secret: string) => string {
  return (secret) => {
    onSecret?.(secret);
    const shown = mask(secret);
    return isName.test(shown) ? shown : REDACTED;
  };
}
