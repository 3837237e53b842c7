// Every key the reader knows, in the order the documentation shows them. The schema for editors has the same ones; a test
// holds the two equal.

export const fileKeys = ['$schema', 'mcpServers', 'servers', 'inputs'] as const;

export const serverKeys = [
  'type',
  'command',
  'args',
  'env',
  'envFile',
  'cwd',
  'enabled',
  'disabled',
  'autoStart',
  'protocol',
  'framing',
  'era',
  'revision',
  'startupTimeoutMs',
  'requestTimeoutMs',
  'pingTimeoutMs',
  'maxFrameBytes',
  'maxFrameValues',
  'restart',
  'stop',
  'keepDaemons',
  'tools',
] as const;

export const restartKeys = ['policy', 'maxRestarts', 'periodMs', 'backoffMs', 'maxBackoffMs', 'resetAfterMs'] as const;
export const stopKeys = ['stdinMs', 'sigtermMs', 'sigkillMs'] as const;
export const toolsKeys = ['allow', 'deny'] as const;
export const inputKeys = ['id', 'type', 'description', 'default', 'password', 'options', 'command', 'args'] as const;

/** Any of them makes an entry one for a server elsewhere. */
export const remoteKeys = ['url', 'httpUrl', 'serverUrl'] as const;

/** Keys that other hosts understand and that change nothing about how a server is run. Not worth a word. */
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

/** Keys that other hosts understand, and whose effect somebody would miss here: said aloud, with what to write instead. */
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

/** `"//"`, `"_comment"`, `"#"`: comments for readers that know none. */
export function isComment(key: string): boolean {
  return /^(?:\/\/|_|#)/.test(key);
}
