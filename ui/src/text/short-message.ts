// What is worth reading of a message in one line: its start names what other columns show already.

const known = /^(?:"jsonrpc":"2\.0"|"id":(?:-?\d+|"[^"\\]*"|null)|"method":"[^"\\]*"),?/;

export function shortMessage(summary: string): string {
  if (!summary.startsWith('{"')) return summary;
  let rest = summary.slice(1);
  for (let found = known.exec(rest); found; found = known.exec(rest)) rest = rest.slice(found[0].length);
  if (rest === '}') return '';
  return rest.replace(/^"(?:params|result|error)":/, '').replace(/\}$/, '');
}
