// The folders of `src`, from the lowest to the highest, and the allowed imports of each. docs/architecture.md shows the
// same table.

export interface Room {
  /** Lower folders that it imports, and single files of higher ones: types or tables without code. */
  imports: readonly string[];
  /** Subfolders, lowest first: each may import earlier ones. '.' is all files beside them. Default: one part. */
  parts?: readonly string[];
  /**
   * The parts without I/O, or true for the whole folder. They import only each other, and tsconfig.pure.json compiles
   * them without the types of Node.js.
   */
  pure?: true | readonly string[];
  packages?: readonly string[];
  /** Packages that are loaded on first use with `import()`. */
  lazyPackages?: readonly string[];
  /** Packages of which only types are used (`import type`). */
  typePackages?: readonly string[];
}

/** The only part that may start processes. */
export const spawningPart = 'wire/process';

export const rooms: Readonly<Record<string, Room>> = {
  base: { imports: [], pure: true },
  wire: {
    imports: ['base', 'mcp/methods.ts'],
    parts: ['framing', 'requests', 'diagnosis', '.', 'jsonrpc', 'process', 'transport', 'oauth', 'http'],
    pure: ['framing', 'requests', 'diagnosis', '.', 'jsonrpc'],
    packages: ['hono'],
    lazyPackages: ['@modelcontextprotocol/client', 'http-proxy-agent', 'https-proxy-agent', 'proxy-from-env'],
  },
  mcp: {
    imports: ['base', 'wire'],
    pure: true,
    lazyPackages: ['ajv', 'yaml'],
    typePackages: ['@standard-schema/spec'],
  },
  litemcp: { imports: ['base', 'wire', 'mcp'], pure: true },
  connect: { imports: ['base', 'wire', 'mcp', 'litemcp'], lazyPackages: ['yaml'] },
  config: {
    imports: ['base', 'wire', 'mcp'],
    packages: ['jsonc-parser'],
    lazyPackages: ['@decimalturn/toml-patch', 'yaml'],
  },
  observe: {
    imports: ['base', 'wire', 'mcp', 'connect', 'config'],
    parts: ['flow', 'analysis', 'record', 'replay', 'verify', 'convert', 'live', 'show', 'tap'],
    pure: ['flow', 'analysis'],
    lazyPackages: ['@modelcontextprotocol/core'],
  },
  host: {
    imports: ['base', 'wire', 'mcp', 'connect', 'config', 'observe', 'host/fleet/fleet-status.ts'],
    parts: ['gateway', '.', 'fleet'],
    lazyPackages: [
      '@nats-io/jetstream',
      '@nats-io/kv',
      '@nats-io/transport-node',
      '@opentelemetry/api',
      'jose',
      'prom-client',
    ],
  },
  check: { imports: ['base', 'wire', 'mcp', 'litemcp', 'config', 'observe'] },
  app: {
    imports: ['base', 'wire', 'mcp', 'litemcp', 'connect', 'config', 'observe', 'host', 'check'],
    parts: ['.', 'inspector', 'cli'],
    packages: ['commander'],
  },
  entry: { imports: ['base', 'wire', 'mcp', 'litemcp', 'connect', 'config', 'observe', 'host', 'check'] },
};

export const isPure = (room: string, part: string): boolean => {
  const pure = rooms[room]?.pure ?? [];
  return pure === true || pure.includes(part);
};

/** The row of a folder in docs/architecture.md. */
export function roomAsRow(name: string): string {
  const { imports, parts = [], pure, packages = [], lazyPackages = [], typePackages = [] } = rooms[name]!;
  const code = (names: readonly string[]) => names.map((each) => `\`${each}\``).join(', ');
  const named = parts.map((part) => (part === '.' ? 'the rest' : part));
  const loaded = [
    code(packages),
    lazyPackages.length > 0 ? `on first use ${code(lazyPackages)}` : '',
    typePackages.length > 0 ? `types of ${code(typePackages)}` : '',
  ].filter((each) => each !== '');
  const purity = pure === true ? 'all' : (pure ?? []).filter((part) => part !== '.').join(', ');
  return `| ${name} | ${named.join(', ')} | ${imports.join(', ')} | ${purity} | ${loaded.join('; ')} |`.replace(
    / +/g,
    ' ',
  );
}
