// The headers of a remote server: `headers`, and where other hosts keep them. What a variable holds is not known yet.

import { isLoneName } from '../expand/variables.ts';
import type { Findings, Position } from '../problem.ts';
import type { Fields, Located } from './fields.ts';

const example = 'Write "headers": {"Authorization": "Bearer ${TOKEN}"}.';
const validName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Set by the transport: another value would break the exchange. */
const reserved =
  /^(?:accept|connection|content-(?:length|type|encoding)|expect|keep-alive|last-event-id|mcp-(?:method|name|param-.*|protocol-version|session-id)|te|trailer|transfer-encoding|upgrade)$/i;

export function readHeaders(fields: Fields, findings: Findings): Map<string, Located> {
  const headers = new Map<string, Located>();
  const set = (name: string, at: Position, value: Located) => {
    if (!validName.test(name)) return findings.error(at, `${JSON.stringify(name)} is not a valid header name`);
    if (reserved.test(name)) {
      return findings.warn(at, `The header "${name}" is set by Standpipe: this value is ignored`, 'Remove it.');
    }
    const before = [...headers.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
    if (before !== undefined) {
      findings.warn(at, `The header "${name}" is set twice; the last value is used`);
      headers.delete(before);
    }
    headers.set(name, value);
  };
  const ofCodex = fields.text('bearer_token_env_var');
  const token = ofCodex && variableOf(ofCodex, findings);
  if (token) set('Authorization', fields.keyAt('bearer_token_env_var'), { ...token, text: `Bearer ${token.text}` });
  const asIs = (value: Located) => value;
  const groups = [
    [fields.object('env_http_headers'), (value: Located) => variableOf(value, findings)],
    [fields.object('http_headers', example), asIs],
    [fields.object('requestOptions')?.object('headers', example), asIs],
    [fields.object('headers', example), asIs],
  ] as const;
  for (const [group, read] of groups) {
    for (const name of group?.keys() ?? []) {
      const given = group!.text(name);
      const value = given && read(given);
      if (value) set(name, group!.keyAt(name), value);
    }
  }
  return headers;
}

/** Codex names the variable, where others write `${NAME}`. */
function variableOf({ text, at }: Located, findings: Findings): Located | undefined {
  if (isLoneName(text)) return { text: `\${env:${text}}`, at };
  findings.error(at, 'This must be the name of an environment variable', 'To write the value, use "headers".');
  return undefined;
}
