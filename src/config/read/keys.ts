// All keys of a config, in the order of the documentation. Tests in test/host-config write the tables of docs/config.md and
// schema/mcp.schema.json from these rows.

// biome-ignore-all format: one row for each key

import { erasOfMcp, revisionsOfMcp } from '../../mcp/revisions.ts';
import { LARGEST_MAX_FRAME_BYTES } from '../../wire/framing/framing.ts';
import type { StopWaits } from '../../wire/process/tree/stop-ladder.ts';
import { lockModes } from '../lock/server-lock.ts';
import { inputCapabilities, MOST_LABELS, MOST_REPLICAS, type OAuthSettings, oauthGrants, type Place, type RemoteTransport, type RestartLimits, restartPolicies, type SharePolicy, shareModes, spreads, type ToolRules } from '../server-config.ts';
import type { Located } from './fields.ts';
import { checkGrant, checkLabels, checkRestart, checkShare, choice, count, type Described, duration, env, flag, framing, group, headers, type KeysOf, locatedTexts, orFlag, text, textNotEmpty, texts, words } from './key.ts';

export const restartKeys: KeysOf<RestartLimits> = {
  policy: choice(restartPolicies, '`"always"`: restarts after every unexpected exit. `"on-failure"`: restarts unless the exit code is 0. `"never"`: does not restart.'),
  maxRestarts: count(0, 'Maximum number of restarts within `periodMs`; then the server is `failed` until it is started manually.'),
  periodMs: count(1, 'The period in which restarts are counted for `maxRestarts`.'),
  backoffMs: count(0, 'The first wait before a restart. It doubles after every failure.'),
  maxBackoffMs: count(0, 'The longest wait before a restart.'),
  resetAfterMs: count(0, 'When the server has run for this long, its earlier failures are no longer counted.'),
};

export const stopKeys: KeysOf<StopWaits> = {
  stdinMs: count(0, 'How long the host waits for the exit after it has closed stdin of the server.'),
  sigtermMs: count(0, 'How long the host waits after it has sent SIGTERM to all processes of the server. Windows does not have this step.'),
  sigkillMs: count(0, 'How long the host waits after it has sent SIGKILL to all processes of the server.'),
};

export const shareKeys: KeysOf<SharePolicy> = {
  by: choice(shareModes, '`"all"`: one process for all clients. `"principal"`: one for each principal. `"client"`: one for each client. `"call"`: a new one for each call of a tool.'),
  maxProcesses: count(1, 'Maximum number of processes for clients. When all are in use, further calls wait. With `"all"`, the number includes the processes for [tools that ask](gateway.md#questions-of-servers), and calls do not wait for a free process. Set 1 for a server that asks and uses a port, a lock or a file that a second process cannot use.'),
  idleMs: count(1, 'A process of a principal, of a client or for tools that ask is stopped when it has not been used for this long.'),
};

const globs = { pattern: '[\\s\\S]', fault: 'An empty pattern matches no tool' };
const toolsExample = 'Write "tools": {"allow": ["read_*"], "deny": ["*_all"]}.';
export const toolsKeys: KeysOf<ToolRules> = {
  allow: texts('Patterns of the tools that can be called: `*` matches any characters, `?` matches one; patterns are case-sensitive. Default: all tools.', toolsExample, globs),
  deny: texts('Patterns of the tools that cannot be called. They take precedence over `allow`.', toolsExample, globs),
};

export const taskKeys: KeysOf<{ after: number }> = {
  after: duration('How long a call may run before it is answered with a task: `"500ms"`, `"10s"`, `"2m"`.'),
};

const labelNames = { pattern: '^[A-Za-z0-9_-]{1,64}$', fault: 'A label consists of letters, digits, "-" and "_", at most 64', suggestion: 'Rename the label.' };
export const placeKeys: KeysOf<Place> = {
  labels: texts(`The node must have all of these labels (\`standpipe up --labels\`), at most ${MOST_LABELS}.`, 'Write "labels": ["gpu", "eu"].', labelNames),
  replicas: count(1, `How many processes of the server the fleet runs, at most ${MOST_REPLICAS}.`, MOST_REPLICAS),
  spread: choice(spreads, '`"prefer"`: replicas on different nodes where possible. `"nodes"`: never two on one node, even if some then run nowhere.'),
  stateless: flag('`true`: any replica may answer any request, and an extra process does no harm.'),
};

/** Strings may contain variables. */
export type OAuthDraft = Omit<OAuthSettings, 'clientId' | 'clientSecret' | 'clientMetadataUrl'> & { clientId?: Located; clientSecret?: Located; clientMetadataUrl?: Located };

export const oauthKeys: KeysOf<OAuthDraft & { enabled?: boolean }> = {
  clientId: text('The id of a client that is registered with the authorization server.'),
  clientSecret: text('The secret of the client. Write a variable: `"${TICKETS_CLIENT_SECRET}"`.'),
  clientMetadataUrl: text('The https URL of a client-id metadata document, instead of a registered client.'),
  scopes: words('Scopes to request in addition to those that the server names: a list, or a text with spaces.', 'Write "scopes": ["read", "write"].'),
  callbackPort: count(1, 'The port of the redirect address, if the client is registered with one. Default: any free port.', 65_535),
  grant: choice(oauthGrants, '`"client_credentials"`: the client logs in by itself, without a person, and needs an id and a secret. Default: `"authorization_code"`.'),
  enabled: flag('`false`: the same as `"oauth": false`.'),
};

const capabilities = inputCapabilities.map((name) => `"${name}"`).join(', ');

export const settingKeys = {
  enabled: flag('`false`: the server is never started. Variables in the entry are not expanded or required.'),
  disabled: flag('`true`: the same as `"enabled": false`.'),
  autoStart: flag('`false`: the server is started at its first use, not with the host.'),
  era: choice(['auto', ...erasOfMcp], 'The era of MCP: `"modern"` (2026-07-28), `"legacy"` (a session opened by `initialize`), or `"auto"`, which [detects it](client.md#revision-detection).'),
  revision: choice(revisionsOfMcp, `The only revision of MCP to use: ${revisionsOfMcp.map((revision) => `\`"${revision}"\``).join(', ')}.`),
  startupTimeoutMs: count(1, 'Maximum time until the server responds. Other messages from the server do not extend it. A JVM, `npx` or `docker` may be slow at the first start.'),
  requestTimeoutMs: count(1, 'Maximum time of a request. Progress that the caller requested restarts this time.'),
  pingTimeoutMs: count(0, 'After a request was not answered within `requestTimeoutMs`, the host sends a ping; a shorter limit of a caller has no such effect. If the server answers neither the ping nor any call within this time, it is restarted. `0`: no ping is sent.'),
  maxFrameBytes: count(1, 'Maximum size of a message from the server in bytes. If a response is longer, its request fails.', LARGEST_MAX_FRAME_BYTES),
  maxFrameValues: count(1, 'Maximum number of JSON values in a message from the server. A message with more is not parsed, and its request fails.'),
  restart: group('When the server is restarted after an unexpected exit: the policy, or an object, see [restart](#restart).', restartKeys, 'Write "restart": "never", or "restart": {"maxRestarts": 10}.', { short: 'policy', check: checkRestart }),
  share: group('The clients that share a process of the server: the mode, or an object, see [share](#share).', shareKeys, 'Write "share": "client", or "share": {"by": "client", "maxProcesses": 8}.', { short: 'by', check: checkShare }),
  asks: orFlag(texts('Before 2026-07-28: the tools that ask their client, a list of names, or `true` for all. While other clients use the process, these tools [run in another one](gateway.md#questions-of-servers). Other tools are detected when they ask.', 'Write "asks": true, or the tools that ask: "asks": ["book"].')),
  clientCapabilities: texts(`The requests to clients that the server may use, a list of \`"elicitation"\`, \`"sampling"\` and \`"roots"\`. To a server before 2026-07-28, Standpipe announces those that [its clients support](gateway.md#questions-of-servers). \`[]\` announces nothing.`, `Write a list of ${capabilities}. An empty one announces none.`, { enum: inputCapabilities, fault: `"clientCapabilities" must be a list of ${capabilities}` }),
  tasks: group('Lets the host answer slow calls with [tasks of its own](tasks.md#tasks-of-a-host), if the client declares the extension Tasks and the server does not have it, see [tasks](#tasks). Default: no tasks.', taskKeys, 'Write "tasks": {"after": "10s"}.'),
  // An array, as in the config of the Copilot CLI, means `allow`.
  tools: group('The tools that can be called: an object, or only the list `allow`, see [tools](#tools). Default: all.', toolsKeys, toolsExample, { short: 'allow' }),
  locked: choice(lockModes, 'What happens to definitions that [the lock](lock.md) beside the config does not approve. `"hide"`: they are left out, and calls of them are refused. `"refuse"`: the server is stopped. `"warn"`: one warning for each. `"off"`: the lock does not apply. Default: `"hide"` if there is a lock. With this key, a missing lock approves nothing.'),
  // Unknown keys are errors: with misspelled `labels`, a server would run on any node.
  place: group('The nodes of a [fleet](fleet.md#placement) that run the server, and the number of replicas, see [place](#place). It has no effect in the config of a single host, which reports it. Default: one replica, on any node.', placeKeys, 'Write "place": {"replicas": 2, "labels": ["gpu"]}.', { strict: true, check: checkLabels }),
};

/** Values of `type` for servers that the host starts, and for remote ones. */
export const stdioTypes = ['stdio', 'local'];
export const transportOfType: Readonly<Record<string, RemoteTransport>> = { http: 'http', 'streamable-http': 'http', streamableHttp: 'http', streamable_http: 'http', sse: 'sse', remote: 'auto' };

export const commandKeys = {
  command: textNotEmpty('The program: a name that is looked up in PATH, or a path. No shell is used: put arguments in `args`; `~` is not expanded. A relative path starts at `cwd`.', ['npx', 'uvx', 'node', 'python3', 'java', 'docker'], 'Write only the program; put its arguments in "args".'),
  args: locatedTexts('The arguments, one string each.', 'Write one string for each argument: "args": ["-y", "some-server"].'),
  env: env('Variables for the server, in addition to a short list of inherited ones (`PATH`, `HOME` and similar). No other variable is inherited. A number is converted to text; `null` removes a variable.'),
  envFile: text('A file with more variables. `env` takes precedence.', { examples: ['${workspaceFolder}/.env'] }),
  cwd: text("The working folder of the server. Default: the project's folder.", { examples: ['${workspaceFolder}'] }),
  type: { about: '`"stdio"`, or absent.', schema: { type: 'string', enum: stdioTypes } },
  protocol: choice(['mcp', 'litemcp'], '`"mcp"` or `"litemcp"`.'),
  framing: framing('The message framing, if it differs from that of the protocol: a [name of a framing](framing.md).'),
  stop: group('How long each step of stopping the server may take, see [stop](#stop).', stopKeys, 'Write "stop": {"stdinMs": 5000}.'),
  keepDaemons: flag('`true`: daemons of the server keep running when it stops, see [stop](#stop).'),
};

export const remoteKeys = {
  url: textNotEmpty('The address: `https://…`, or `http://…`. A user name and a password in it are sent as the header `Authorization`.', ['https://example.com/mcp', 'http://127.0.0.1:3000/mcp']),
  type: { about: '`"http"`: Streamable HTTP, also written `"streamable-http"`, `"streamableHttp"` and `"streamable_http"`. `"sse"`: HTTP+SSE of 2024-11-05. Absent or `"remote"`: Streamable HTTP, and HTTP+SSE if the server refuses it.', schema: { type: 'string', enum: Object.keys(transportOfType) } },
  headers: headers('Headers of every request. Standpipe sets those of the protocol (`Accept`, `Content-Type`, `Mcp-Session-Id` and so on).'),
  // In Gemini CLI, `oauth` also contains addresses.
  oauth: orFlag(group('How to log in to a server that requires it, see [oauth](#oauth). `false`: no login, only `headers` are sent.', oauthKeys, 'Write "oauth": {"clientId": "…", "scopes": ["…"]}, or "oauth": false.', { check: checkGrant, explain: (key) => (/Url$/.test(key) ? 'Remove it: the server names this address.' : undefined) })),
  ca: text('A file with the certificates (PEM) of the authorities to trust, instead of the default ones.'),
  protocol: { about: '`"mcp"`, or absent.', schema: { type: 'string', enum: ['mcp'] } },
};

/**
 * An entry with any of these keys is a remote server. Gemini CLI has `httpUrl`, which takes precedence over `url`
 * there; Windsurf has `serverUrl`.
 */
export const addressKeys = ['httpUrl', 'url', 'serverUrl'] as const;

const asText = (about: string): Described => ({ about, schema: { type: 'string', minLength: 1 } });

/** Names of other hosts for `url` and `type`. They are accepted in every file, because users copy entries between files. */
export const formatsOfRemotes = {
  httpUrl: asText('The key of Gemini CLI for `url` with `"type": "http"`.'),
  serverUrl: asText('The key of Windsurf for `url`.'),
  transport: asText('An alias of `type`.'),
  transportType: asText('An alias of `type`.'),
};

const readBy = (hosts: string): Described => ({ about: `Read by ${hosts}. Standpipe ignores it.`, schema: {} });

/** Keys of other hosts that do not affect how a server is run. They cause no warning. */
export const keysOfOthers = {
  alwaysAllow: readBy('Cline, Roo Code'),
  autoApprove: readBy('Cline, Kiro'),
  description: readBy('several hosts'),
  dev: readBy('VS Code'),
  gallery: readBy('VS Code'),
  trust: readBy('Gemini CLI'),
  version: readBy('VS Code'),
};

const sandbox = 'Standpipe has no sandbox: the server runs with your permissions.';
/** Keys of other hosts that Standpipe does not support. A warning names the replacement, if there is one. */
export const replacements = {
  timeout: 'Write "requestTimeoutMs" or "startupTimeoutMs", in milliseconds: the meaning of "timeout" differs between hosts.',
  disabledTools: 'Write "tools": {"deny": […]}.',
  excludeTools: 'Write "tools": {"deny": […]}.',
  enabledTools: 'Write "tools": {"allow": […]}.',
  includeTools: 'Write "tools": {"allow": […]}.',
  transport: 'Write "type": "stdio", or omit the key.',
  transportType: 'Write "type": "stdio", or omit the key.',
  sandbox,
  sandboxEnabled: sandbox,
};

/** Keys of inputs of VS Code; `id`, `description`, `default`, `password` and `options` are read. */
export const inputKeys = {
  id: { about: 'The name of the input in `${input:id}`.', schema: { type: 'string' } },
  type: { about: 'The kind of prompt in VS Code.', schema: { type: 'string', enum: ['promptString', 'pickString', 'command'] } },
  description: { about: 'The text of the prompt.', schema: { type: 'string' } },
  default: { about: 'The value if the user enters none.', schema: { type: ['string', 'number', 'boolean'] } },
  password: { about: '`true`: the value is never shown, not even while it is typed.', schema: { type: 'boolean' } },
  options: { about: 'The choices of a `pickString`.', schema: { type: 'array' } },
  command: { about: 'The command of VS Code that returns the value.', schema: { type: 'string' } },
  args: { about: 'The arguments of `command`.', schema: {} },
};

const servers = { $ref: '#/definitions/servers' };
export const fileKeys = {
  $schema: { about: 'The address of this schema, for editors.', schema: { type: 'string' } },
  mcpServers: { about: 'The servers by name, under the key of Claude Desktop and Cursor.', schema: { allOf: [servers] } },
  servers: { about: 'The servers by name, under the key of VS Code.', schema: { allOf: [servers] } },
  inputs: { about: 'Values that a user enters, for use as `${input:id}`. Standpipe takes them from STANDPIPE_INPUT_<ID>, from the program that loads the config, or from the default.', schema: { type: 'array', items: { $ref: '#/definitions/input' } } },
  locked: { about: 'The default of `locked` for all servers of the file.', schema: { type: 'string', enum: lockModes } },
};
