// An entry of a config, without a config.

export function configOf(name, script, more = {}) {
  return {
    name,
    command: process.execPath,
    args: [script],
    env: {},
    cwd: process.cwd(),
    enabled: true,
    autoStart: true,
    protocol: 'mcp',
    framing: undefined,
    startupTimeoutMs: 10_000,
    requestTimeoutMs: 60_000,
    pingTimeoutMs: 30_000,
    restart: {
      policy: 'always',
      maxRestarts: 3,
      periodMs: 30_000,
      backoffMs: 250,
      maxBackoffMs: 2_000,
      resetAfterMs: 60_000,
    },
    stop: {},
    tools: {},
    secrets: [],
    source: { file: 'none', line: 1, column: 1 },
    ...more,
  };
}
