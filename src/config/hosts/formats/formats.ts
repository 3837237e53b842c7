// The entry formats of the host programs, as differences from the format of Standpipe.

import type { Node } from 'jsonc-parser';
import type { HostFormat, HostId, PlainEntry } from '../host-program.ts';
import { formatOf } from './host-format.ts';
import { arrayOf, disabled, lists, type Member, membersOf, objectOf, renamed, scalarOf, valueIn } from './nodes.ts';

const tools = { enabledTools: 'tools.allow', disabledTools: 'tools.deny' };
const ownTypes = { stdio: 'stdio', http: 'http', sse: 'sse' };
const env = (name: string) => `\${env:${name}}`;

export const formats: Readonly<Record<HostId, HostFormat>> = {
  'claude-desktop': formatOf({}),
  'claude-code': formatOf({
    ignored: ['alwaysLoad', 'headersHelper'],
    types: ownTypes,
    beforeRead: (entry, name, _, project) =>
      lists(valueIn(project, 'disabledMcpServers'), name) ? disabled(entry) : entry,
  }),
  cursor: formatOf({
    names: {
      'auth.CLIENT_ID': 'oauth.clientId',
      'auth.CLIENT_SECRET': 'oauth.clientSecret',
      'auth.scopes': 'oauth.scopes',
    },
    variables: { theirs: env },
  }),
  vscode: formatOf({ types: ownTypes, variables: { theirs: env } }),
  /** TOML with snake_case keys and seconds. Separate keys name variables of the environment, instead of references in texts. */
  codex: formatOf({
    names: {
      http_headers: 'headers',
      'oauth.client_id': 'oauth.clientId',
      scopes: 'oauth.scopes',
      enabled_tools: 'tools.allow',
      disabled_tools: 'tools.deny',
      startup_timeout_sec: 'startupTimeoutMs',
      startup_timeout_ms: 'startupTimeoutMs',
      tool_timeout_sec: 'requestTimeoutMs',
    },
    seconds: ['startup_timeout_sec', 'tool_timeout_sec'],
    readOnly: ['startup_timeout_ms'],
    ignored: [
      ...['default_tools_approval_mode', 'experimental_environment', 'name', 'oauth_resource', 'required'],
      ...['supports_parallel_tool_calls', 'tools'],
    ],
    disables: 'enabled',
    beforeRead: withVariablesInTexts,
    afterWrite: withVariablesInKeys,
  }),
  windsurf: formatOf({ names: { serverUrl: 'url', ...tools }, disables: 'disabled', variables: { theirs: env } }),
  /** Earlier versions had an object as `command`. The server of an extension has settings and no command. */
  zed: formatOf({
    // The unit of `timeout` was changed from milliseconds to seconds.
    ignored: ['source', 'settings', 'timeout', 'remote'],
    disables: 'enabled',
    beforeRead(entry) {
      const command = valueIn(entry, 'command');
      if (!command && !valueIn(entry, 'url')) {
        const isExtension = valueIn(entry, 'source')?.value === 'extension' || valueIn(entry, 'settings') !== undefined;
        return isExtension ? 'A server of a Zed extension has no command in the settings: it is ignored' : entry;
      }
      if (command?.type !== 'object') return entry;
      const inside = membersOf(command).map(({ key, value }) =>
        key.value === 'path' ? { key: renamed(key, 'command'), value } : { key, value },
      );
      return objectOf([...membersOf(entry).filter(({ key }) => key.value !== 'command'), ...inside], entry);
    },
    afterWrite: (written) => ({ source: 'custom', ...written }),
  }),
  /** A `url` without `type` is HTTP+SSE. Newer versions have an object `transport` with the keys of the connection. */
  cline: formatOf({
    names: { transportType: 'type', timeout: 'requestTimeoutMs', initializeTimeoutMs: 'startupTimeoutMs' },
    seconds: ['timeout'],
    readOnly: ['transportType'],
    ignored: ['metadata', 'oauth', 'remoteConfigured'],
    disables: 'disabled',
    types: { stdio: undefined, http: 'streamableHttp', sse: 'sse' },
    variables: { theirs: env },
    beforeRead(entry) {
      const transport = valueIn(entry, 'transport');
      const isObject = transport?.type === 'object';
      const own = membersOf(entry).filter(({ value }) => !isObject || value !== transport);
      const all = [...own, ...membersOf(transport)];
      const has = (name: string) => all.some(({ key }) => key.value === name);
      const kept = has('type') ? all.filter(({ key }) => key.value !== 'transportType') : all;
      const url = kept.find(({ key }) => key.value === 'url');
      if (!url || has('command') || has('type') || has('transportType')) return objectOf(kept, entry);
      return objectOf([...kept, { key: renamed(url.key, 'type'), value: scalarOf('sse', url.key) }], entry);
    },
  }),
  /** `httpUrl` is Streamable HTTP, and takes precedence over `url`. `$NAME` in a text is a variable. */
  gemini: formatOf({
    names: { includeTools: 'tools.allow', excludeTools: 'tools.deny', timeout: 'requestTimeoutMs' },
    ignored: ['authProviderType', 'extensionName', 'targetAudience', 'targetServiceAccount'],
    variables: { fromTheirs: (text) => text.replaceAll(/(?<!\$)\$([A-Za-z_]\w*)/g, '${$1}') },
    beforeRead(entry, name, root) {
      const httpUrl = membersOf(entry).findLast(({ key }) => key.value === 'httpUrl');
      const others = membersOf(entry).filter(({ key }) => !httpUrl || !['httpUrl', 'url', 'type'].includes(key.value));
      if (httpUrl) {
        const { key, value } = httpUrl;
        others.push({ key: renamed(key, 'url'), value }, { key: renamed(key, 'type'), value: scalarOf('http', key) });
      }
      const own = objectOf(others, entry);
      const rules = valueIn(root, 'mcp');
      const allowed = valueIn(rules, 'allowed');
      const isLeftOut = allowed?.type === 'array' && !lists(allowed, name);
      return lists(valueIn(rules, 'excluded'), name) || isLeftOut ? disabled(own) : own;
    },
    afterWrite(written, { type }) {
      if (written.url === undefined || type === 'sse') return written;
      const { url, ...others } = written;
      return { httpUrl: url, ...others };
    },
  }),
  /** Junie, and the plugin of GitHub Copilot, which has `requestInit`. */
  jetbrains: formatOf({
    names: { 'requestInit.headers': 'headers', ...tools },
    readOnly: ['requestInit.headers'],
  }),
  /** A list of servers with names. `${{ secrets.NAME }}` is a variable of the environment here. */
  continue: formatOf({
    names: { 'requestOptions.headers': 'headers', connectionTimeout: 'startupTimeoutMs' },
    ignored: ['name', 'serverName', 'faviconUrl', 'sourceFile'],
    types: { stdio: undefined, http: 'streamable-http', sse: 'sse' },
    beforeRead: (entry) =>
      valueIn(entry, 'uses') ? 'A server from the Continue hub has no command in the file: it is ignored' : entry,
    variables: {
      fromTheirs: (text) => text.replaceAll(/\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_]\w*)\s*\}\}/g, '${$1}'),
      theirs: (name) => `\${{ secrets.${name} }}`,
    },
  }),
  /** `tools` is required: a list of names, or `*` for all. The type of a command is `local`. */
  copilot: formatOf({
    beforeRead(entry) {
      const isDefault = ({ key, value }: Member) =>
        (key.value === 'tools' && lists(value, '*')) || (key.value === 'type' && value.value === 'local');
      const kept = membersOf(entry).filter((member) => !isDefault(member));
      return objectOf(kept, entry);
    },
    names: { tools: 'tools.allow' },
    types: { stdio: 'local', http: 'http', sse: 'sse' },
    afterWrite: (written) => ({ ...written, tools: written.tools ?? ['*'] }),
  }),
  kiro: formatOf({ names: tools, disables: 'disabled' }),
  /** `command` is an array with the arguments. `timeout` applies only to the list of tools. */
  opencode: formatOf({
    names: { environment: 'env' },
    ignored: ['timeout'],
    disables: 'enabled',
    types: { stdio: 'local', http: 'remote', sse: 'remote' },
    variables: {
      fromTheirs: (text) => text.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, '${$1}'),
      theirs: (name) => `{env:${name}}`,
    },
    beforeRead(entry) {
      const command = valueIn(entry, 'command');
      if (!command && !valueIn(entry, 'url'))
        return 'This OpenCode entry changes an entry of another file: it is ignored';
      const [program, ...args] = command?.type === 'array' ? (command.children ?? []) : [];
      const members = membersOf(entry).flatMap(({ key, value }) => {
        if (key.value === 'type') return []; // the type follows from the other keys
        if (value !== command || !program) return [{ key, value }];
        return [
          { key, value: program },
          { key: renamed(key, 'args'), value: arrayOf(args, command) },
        ];
      });
      return objectOf(members, entry);
    },
    afterWrite({ command, args, cwd, envFile, ...written }) {
      return command === undefined ? written : { command: [command, ...((args as string[]) ?? [])], ...written };
    },
  }),
};

const variableKeys = ['bearer_token_env_var', 'env_http_headers', 'env_vars'];

/** Codex: `bearer_token_env_var = "TOKEN"` becomes `headers: {Authorization: "Bearer ${TOKEN}"}`; `env_vars` become `env`. */
function withVariablesInTexts(entry: Node): Node {
  const [token, headers, variables] = variableKeys.map((key) => valueIn(entry, key));
  const own = membersOf(entry).filter(({ key }) => !variableKeys.includes(key.value));
  const inHeaders: Member[] = [
    ...(token ? [{ key: scalarOf('Authorization', token), value: textOf(token, (name) => `Bearer \${${name}}`) }] : []),
    ...membersOf(headers).map(({ key, value }) => ({ key, value: textOf(value, (name) => `\${${name}}`) })),
  ];
  // Codex does not pass on an unset variable. Standpipe passes it with an empty value.
  const inEnv = (variables?.children ?? []).map((item) => {
    const key = (item.type === 'object' ? valueIn(item, 'name') : undefined) ?? item;
    return { key, value: textOf(key, (text) => `\${${text}:-}`) };
  });
  return objectOf(merged(merged(own, 'http_headers', inHeaders), 'env', inEnv), entry);
}

function textOf(node: Node, write: (text: string) => string): Node {
  return node.type === 'string' ? scalarOf(write(node.value), node) : node;
}

/** Adds members to the object `name`. Its own members take precedence and come last. */
function merged(members: Member[], name: string, added: readonly Member[]): Member[] {
  const first = added[0];
  if (!first) return members;
  const existing = members.find(({ key }) => key.value === name);
  const own = membersOf(existing?.value);
  const missing = added.filter(({ key }) => !own.some((member) => member.key.value === key.value));
  const value = objectOf([...missing, ...own], existing?.value ?? first.key);
  const others = members.filter((member) => member !== existing);
  return [...others, { key: existing?.key ?? renamed(first.key, name), value }];
}

const bearer = /^Bearer \$\{(?:env:)?(\w+)\}$/;
const variable = /^\$\{(?:env:)?(\w+)(?::-)?\}$/;

/** The inverse of `withVariablesInTexts`. */
function withVariablesInKeys(written: Record<string, unknown>, { headers, env }: PlainEntry): Record<string, unknown> {
  const own: Record<string, string> = {};
  const fromEnv: Record<string, string> = {};
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, string>)) {
    const token = name.toLowerCase() === 'authorization' ? bearer.exec(value)?.[1] : undefined;
    const source = variable.exec(value)?.[1];
    if (token !== undefined) written.bearer_token_env_var = token;
    else if (source !== undefined) fromEnv[name] = source;
    else own[name] = value;
  }
  const variables = Object.entries((env ?? {}) as Record<string, string>);
  const passedOn = variables.filter(([name, value]) => variable.exec(value)?.[1] === name);
  const set = variables.filter((pair) => !passedOn.includes(pair));
  const all = {
    ...written,
    http_headers: own,
    env_http_headers: fromEnv,
    env: Object.fromEntries(set),
    env_vars: passedOn.map(([name]) => name),
  };
  const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
  return Object.fromEntries(Object.entries(all).filter(([key, value]) => key === 'args' || !isEmpty(value)));
}
