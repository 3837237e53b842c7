// Reads objects of strings with arbitrary names: `env` and `headers`. Variables in them are not expanded yet.

import { type Fields, inQuotes, type Located } from './fields.ts';
import type { Key } from './key.ts';

/** Null removes a variable, even one of the `envFile`. */
export function env(about: string): Key<Map<string, Located | null>> {
  const values = { type: ['string', 'number', 'null'] }; // VS Code accepts numbers.
  const schema = { type: 'object', propertyNames: { pattern: '^[^=]+$' }, additionalProperties: values };
  return { about, schema, read: readEnv };
}

function readEnv(fields: Fields, key: string): Map<string, Located | null> {
  const found = new Map<string, Located | null>();
  const variables = fields.object(key, 'Write "env": {"NAME": "value"}.');
  for (const name of variables?.keys() ?? []) {
    const [node, at] = [variables!.value(name)!, variables!.valueAt(name)];
    if (!/^[^=\0]+$/.test(name))
      fields.findings.error(variables!.keyAt(name), `${JSON.stringify(name)} is not a valid variable name`);
    else if (node.type === 'null') found.set(name, null);
    else if (node.type === 'string' || node.type === 'number') found.set(name, { text: String(node.value), at });
    else fields.findings.error(at, `"env"."${name}" must be a string`, inQuotes(node));
  }
  return found;
}

export function headers(about: string): Key<Map<string, Located>> {
  const names = { pattern: validName.source };
  return {
    about,
    schema: { type: 'object', propertyNames: names, additionalProperties: { type: 'string' } },
    read: readHeaders,
  };
}

const validName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Headers set by the transport. Other values would break the protocol. */
const reserved =
  /^(?:accept|connection|content-(?:length|type|encoding)|expect|keep-alive|last-event-id|mcp-(?:method|name|param-.*|protocol-version|session-id)|te|trailer|transfer-encoding|upgrade)$/i;

function readHeaders(fields: Fields, key: string): Map<string, Located> {
  const { findings } = fields;
  const found = new Map<string, Located>();
  const given = fields.object(key, 'Write "headers": {"Authorization": "Bearer ${TOKEN}"}.');
  for (const name of given?.keys() ?? []) {
    const [value, at] = [given!.text(name), given!.keyAt(name)];
    const before = [...found.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
    if (!validName.test(name)) findings.error(at, `${JSON.stringify(name)} is not a valid header name`);
    else if (reserved.test(name)) {
      findings.warn(at, `The header "${name}" is set by Standpipe: this value is ignored`, 'Remove it.');
    } else if (value) {
      if (before !== undefined) findings.warn(at, `The header "${name}" is set twice; the last value is used`);
      found.delete(before ?? name);
      found.set(name, value);
    }
  }
  return found;
}
