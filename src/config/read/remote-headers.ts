// The headers of a remote server. What a variable holds is not known yet.

import type { Findings } from '../problem.ts';
import type { Fields, Located } from './fields.ts';

const validName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Set by the transport: another value would break the exchange. */
const reserved =
  /^(?:accept|connection|content-(?:length|type|encoding)|expect|keep-alive|last-event-id|mcp-(?:method|name|param-.*|protocol-version|session-id)|te|trailer|transfer-encoding|upgrade)$/i;

export function readHeaders(fields: Fields, findings: Findings): Map<string, Located> {
  const headers = new Map<string, Located>();
  const given = fields.object('headers', 'Write "headers": {"Authorization": "Bearer ${TOKEN}"}.');
  for (const name of given?.keys() ?? []) {
    const [value, at] = [given!.text(name), given!.keyAt(name)];
    const before = [...headers.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
    if (!validName.test(name)) findings.error(at, `${JSON.stringify(name)} is not a valid header name`);
    else if (reserved.test(name)) {
      findings.warn(at, `The header "${name}" is set by Standpipe: this value is ignored`, 'Remove it.');
    } else if (value) {
      if (before !== undefined) findings.warn(at, `The header "${name}" is set twice; the last value is used`);
      headers.delete(before ?? name);
      headers.set(name, value);
    }
  }
  return headers;
}
