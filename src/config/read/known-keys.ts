// All known keys, in the order of the documentation. The schema for editors has the same ones; a test compares the two.

export const fileKeys = ['$schema', 'mcpServers', 'servers', 'inputs'] as const;

/** Of every server. */
const settingKeys = [
  'type',
  'enabled',
  'disabled',
  'autoStart',
  'protocol',
  'era',
  'revision',
  'startupTimeoutMs',
  'requestTimeoutMs',
  'pingTimeoutMs',
  'maxFrameBytes',
  'maxFrameValues',
  'restart',
  'share',
  'asks',
  'clientCapabilities',
  'tools',
  'place',
] as const;

export const onlyOfCommands = ['command', 'args', 'env', 'envFile', 'cwd', 'framing', 'stop', 'keepDaemons'] as const;
export const onlyOfRemotes = ['url', 'headers', 'oauth', 'ca'] as const;
export const commandKeys = [...settingKeys, ...onlyOfCommands] as const;
export const remoteKeys = [...settingKeys, ...onlyOfRemotes] as const;

export const restartKeys = ['policy', 'maxRestarts', 'periodMs', 'backoffMs', 'maxBackoffMs', 'resetAfterMs'] as const;
export const stopKeys = ['stdinMs', 'sigtermMs', 'sigkillMs'] as const;
export const shareKeys = ['by', 'maxProcesses', 'idleMs'] as const;
export const placeKeys = ['labels', 'replicas', 'spread', 'stateless'] as const;
export const toolsKeys = ['allow', 'deny'] as const;
export const inputKeys = ['id', 'type', 'description', 'default', 'password', 'options', 'command', 'args'] as const;

export const oauthKeys = [
  'enabled',
  'clientId',
  'clientSecret',
  'clientMetadataUrl',
  'scopes',
  'callbackPort',
  'grant',
] as const;

/** An entry with any of them is a remote server. `httpUrl` of Gemini CLI, where it goes before `url`; `serverUrl` of Windsurf. */
export const addressKeys = ['httpUrl', 'url', 'serverUrl'] as const;

/** What other hosts with configs in JSON call `url` and `type`. They are read in every file, since entries are copied. */
export const spellingsOfRemotes = ['httpUrl', 'serverUrl', 'transport', 'transportType'] as const;

/** Keys of other hosts that do not affect how a server is run. No warning. */
export const namesOfOthers = [
  'alwaysAllow',
  'autoApprove',
  'description',
  'dev',
  'gallery',
  'trust',
  'version',
] as const;
export const keysOfOthers: ReadonlySet<string> = new Set(namesOfOthers);

/** Keys of other hosts that have an effect there and none here: a warning says what to write instead. */
export const replacements = {
  timeout:
    'Write "requestTimeoutMs" or "startupTimeoutMs", in milliseconds: the meaning of "timeout" differs between hosts.',
  disabledTools: 'Write "tools": {"deny": […]}.',
  excludeTools: 'Write "tools": {"deny": […]}.',
  enabledTools: 'Write "tools": {"allow": […]}.',
  includeTools: 'Write "tools": {"allow": […]}.',
  transport: 'Write "type": "stdio", or omit the key.',
  transportType: 'Write "type": "stdio", or omit the key.',
  sandbox: 'Standpipe has no sandbox: the server runs with your permissions.',
  sandboxEnabled: 'Standpipe has no sandbox: the server runs with your permissions.',
} as const;
export const keysToReplace: ReadonlyMap<string, string> = new Map(Object.entries(replacements));

/** `"//"`, `"_comment"`, `"#"`: comments in plain JSON. */
export function isComment(key: string): boolean {
  return /^(?:\/\/|_|#)/.test(key);
}
