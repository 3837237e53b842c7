// Gemini CLI: `httpUrl` is Streamable HTTP, and takes precedence over `url`. `$NAME` in a text is a variable. `mcp.excluded` and
// `mcp.allowed` of the file disable servers.

import type { Node } from 'jsonc-parser';
import { formatOf } from './host-format.ts';
import { disabled, lists, membersOf, objectOf, renamed, scalarOf, valueIn } from './nodes.ts';

export const geminiFormat = formatOf({
  names: [
    { theirs: 'includeTools', ours: 'tools.allow' },
    { theirs: 'excludeTools', ours: 'tools.deny' },
    { theirs: 'timeout', ours: 'requestTimeoutMs' },
  ],
  ignored: ['authProviderType', 'extensionName', 'targetAudience', 'targetServiceAccount'],
  variables: { fromTheirs: (text) => text.replaceAll(/(?<!\$)\$([A-Za-z_]\w*)/g, '${$1}') },
  beforeRead(entry, name, root) {
    if (entry.type !== 'object') return entry;
    const httpUrl = membersOf(entry).findLast(({ key }) => key.value === 'httpUrl');
    const others = membersOf(entry).filter(({ key }) => !httpUrl || !['httpUrl', 'url', 'type'].includes(key.value));
    if (httpUrl) {
      const { key, value } = httpUrl;
      others.push({ key: renamed(key, 'url'), value }, { key: renamed(key, 'type'), value: scalarOf('http', key) });
    }
    const own = objectOf(others, entry);
    const allowed = listIn(root, 'allowed');
    return lists(listIn(root, 'excluded'), name) || (allowed && !lists(allowed, name)) ? disabled(own) : own;
  },
  afterWrite(written, { type }) {
    if (written.url === undefined || type === 'sse') return written;
    const { url, ...others } = written;
    return { httpUrl: url, ...others };
  },
});

function listIn(root: Node, key: string): Node | undefined {
  const list = valueIn(valueIn(root, 'mcp'), key);
  return list?.type === 'array' ? list : undefined;
}
