// Host formats that differ from the format of Standpipe in a few keys at most.

import { formatOf } from './host-format.ts';
import { disabled, lists, type Member, membersOf, objectOf, valueIn } from './nodes.ts';

const toolNames = [
  { theirs: 'enabledTools', ours: 'tools.allow' },
  { theirs: 'disabledTools', ours: 'tools.deny' },
];
const env = (name: string) => `\${env:${name}}`;

export const desktopFormat = formatOf({});

/** `${NAME}` and `${NAME:-default}` are ours too. `disabledMcpServers` of the project has the servers that are switched off in it. */
export const claudeCodeFormat = formatOf({
  beforeRead: (entry, name, _, project) =>
    entry.type === 'object' && lists(valueIn(project, 'disabledMcpServers'), name) ? disabled(entry) : entry,
  ignored: ['alwaysLoad', 'headersHelper'],
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
});

export const cursorFormat = formatOf({
  names: [
    { theirs: 'auth.CLIENT_ID', ours: 'oauth.clientId' },
    { theirs: 'auth.CLIENT_SECRET', ours: 'oauth.clientSecret' },
    { theirs: 'auth.scopes', ours: 'oauth.scopes' },
  ],
  variables: { theirs: env },
});

export const vscodeFormat = formatOf({
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  variables: { theirs: env },
});

export const windsurfFormat = formatOf({
  names: [{ theirs: 'serverUrl', ours: 'url' }, ...toolNames],
  disables: 'disabled',
  variables: { theirs: env },
});

/** Junie, and the plugin of GitHub Copilot, which has `requestInit`. */
export const jetbrainsFormat = formatOf({
  names: [{ theirs: 'requestInit.headers', ours: 'headers', readOnly: true }, ...toolNames],
});

/** `tools` is required: a list of names, or `*` for all. The type of a command is `local`. */
export const copilotFormat = formatOf({
  beforeRead(entry) {
    if (entry.type !== 'object') return entry;
    const isDefault = ({ key, value }: Member) =>
      (key.value === 'tools' && lists(value, '*')) || (key.value === 'type' && value.value === 'local');
    return objectOf(
      membersOf(entry).filter((member) => !isDefault(member)),
      entry,
    );
  },
  names: [{ theirs: 'tools', ours: 'tools.allow' }],
  types: { stdio: 'local', http: 'http', sse: 'sse' },
  afterWrite: (written) => ({ ...written, tools: written.tools ?? ['*'] }),
});

export const kiroFormat = formatOf({ names: toolNames, disables: 'disabled' });

/** A list of servers with names. `${{ secrets.NAME }}` is a variable of the environment here. */
export const continueFormat = formatOf({
  names: [
    { theirs: 'requestOptions.headers', ours: 'headers' },
    { theirs: 'connectionTimeout', ours: 'startupTimeoutMs' },
  ],
  ignored: ['name', 'serverName', 'faviconUrl', 'sourceFile'],
  types: { stdio: undefined, http: 'streamable-http', sse: 'sse' },
  beforeRead: (entry) =>
    valueIn(entry, 'uses') ? 'A server of the hub of Continue has no command in the file: it is ignored' : entry,
  variables: {
    fromTheirs: (text) => text.replaceAll(/\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_]\w*)\s*\}\}/g, '${$1}'),
    theirs: (name) => `\${{ secrets.${name} }}`,
  },
});
