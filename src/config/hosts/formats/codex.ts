// Codex: TOML with names in snake_case and seconds. Variables of the environment are named by keys of their own, and not in texts.

import type { Node } from 'jsonc-parser';
import type { PlainEntry } from '../host-program.ts';
import { formatOf } from './host-format.ts';
import { type Member, membersOf, objectOf, renamed, scalarOf, valueIn } from './nodes.ts';

export const codexFormat = formatOf({
  names: [
    { theirs: 'http_headers', ours: 'headers' },
    { theirs: 'oauth.client_id', ours: 'oauth.clientId' },
    { theirs: 'scopes', ours: 'oauth.scopes' },
    { theirs: 'enabled_tools', ours: 'tools.allow' },
    { theirs: 'disabled_tools', ours: 'tools.deny' },
    { theirs: 'startup_timeout_sec', ours: 'startupTimeoutMs', factor: 1000 },
    { theirs: 'startup_timeout_ms', ours: 'startupTimeoutMs', readOnly: true },
    { theirs: 'tool_timeout_sec', ours: 'requestTimeoutMs', factor: 1000 },
  ],
  ignored: [
    'default_tools_approval_mode',
    'experimental_environment',
    'name',
    'oauth_resource',
    'required',
    'supports_parallel_tool_calls',
    'tools',
  ],
  disables: 'enabled',
  beforeRead: (entry) => (entry.type === 'object' ? withVariablesInTexts(entry) : entry),
  afterWrite: withVariablesInKeys,
});

/** `bearer_token_env_var = "TOKEN"` is `headers: {Authorization: "Bearer ${TOKEN}"}`, and the like. */
function withVariablesInTexts(entry: Node): Node {
  const [token, headers, variables] = ['bearer_token_env_var', 'env_http_headers', 'env_vars'].map((key) =>
    valueIn(entry, key),
  );
  const own = membersOf(entry).filter(
    ({ key }) => !['bearer_token_env_var', 'env_http_headers', 'env_vars'].includes(key.value),
  );
  const inHeaders: Member[] = [
    ...(token ? [{ key: scalarOf('Authorization', token), value: textOf(token, (name) => `Bearer \${${name}}`) }] : []),
    ...membersOf(headers).map(({ key, value }) => ({ key, value: textOf(value, (name) => `\${${name}}`) })),
  ];
  // A variable that is not set is not passed on by Codex; here it is empty.
  const inEnv = (variables?.children ?? []).map((item) => {
    const name = item.type === 'object' ? valueIn(item, 'name') : item;
    const key = name ?? item;
    return { key, value: textOf(key, (text) => `\${${text}:-}`) };
  });
  return objectOf(merged(merged(own, 'http_headers', inHeaders), 'env', inEnv), entry);
}

function textOf(node: Node, write: (text: string) => string): Node {
  return node.type === 'string' ? scalarOf(write(node.value), node) : node;
}

/** What is written out takes precedence, and comes last. */
function merged(members: Member[], name: string, added: readonly Member[]): Member[] {
  const first = added[0];
  if (!first) return members;
  const existing = members.find(({ key }) => key.value === name);
  const own = membersOf(existing?.value);
  const missing = added.filter(({ key }) => !own.some((member) => member.key.value === key.value));
  const value = objectOf([...missing, ...own], existing?.value ?? first.key);
  return [
    ...members.filter((member) => member !== existing),
    { key: existing?.key ?? renamed(first.key, name), value },
  ];
}

const bearer = /^Bearer \$\{(?:env:)?(\w+)\}$/;
const variable = /^\$\{(?:env:)?(\w+)(?::-)?\}$/;

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
  return withoutEmpty({
    ...written,
    http_headers: own,
    env_http_headers: fromEnv,
    env: Object.fromEntries(set),
    env_vars: passedOn.map(([name]) => name),
  });
}

function withoutEmpty(entry: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
  return Object.fromEntries(Object.entries(entry).filter(([key, value]) => key === 'args' || !isEmpty(value)));
}
