// Which folder of `src` may import what: the table of docs/architecture.md as data. Data goes one way through the house;
// a layer knows the ones below it and never the ones above. Whoever changes a row changes the architecture: say why.

export interface ImportRule {
  /** Other folders of `src`, in full, or single files of them. Its own files a folder may always import. */
  folders: readonly string[];
  /** Folders, files and packages of which only types may be used (`import type`). */
  types?: readonly string[];
  node?: NodeModules;
  packages?: readonly string[];
  /** Packages that are loaded on first use, by `import()`. */
  lazyPackages?: readonly string[];
}

export type NodeModules = 'all' | 'all but node:child_process';

const io = 'all but node:child_process';
const wireTypes = ['transport/wire.ts'];
const natsPackages = ['@nats-io/jetstream', '@nats-io/kv', '@nats-io/transport-node'];
const officialClient = '@modelcontextprotocol/client';
const belowHost = [
  'base',
  'secrets',
  'framing',
  'requests',
  'jsonrpc',
  'process',
  'transport',
  'oauth',
  'mcp',
  'litemcp',
  'connect',
  'config',
  'flow',
  'record',
];
const all = [...belowHost, 'live', 'tap', 'doors', 'host', 'fleet', 'analysis', 'check', 'inspector'];

/** The folders without `node` are pure: they do no I/O, and tsconfig.pure.json compiles them without Node's types. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  base: { folders: [] },
  secrets: { folders: ['base'] },
  framing: { folders: ['base'] },
  requests: { folders: ['base'] },
  jsonrpc: { folders: ['base', 'requests'], types: ['diagnosis', ...wireTypes] },
  diagnosis: { folders: ['base'] },
  mcp: {
    folders: ['base', 'requests', 'jsonrpc', 'diagnosis'],
    types: [...wireTypes, '@standard-schema/spec'],
    lazyPackages: ['ajv'],
  },
  litemcp: { folders: ['base', 'framing', 'requests', 'mcp'], types: ['transport/wire.ts'] },
  flow: { folders: ['base'], types: ['framing', 'transport/wire.ts'] },
  process: { folders: ['base', 'secrets', 'diagnosis'], node: 'all' },
  transport: {
    folders: ['base', 'secrets', 'framing', 'requests', 'jsonrpc', 'diagnosis', 'process', 'mcp/methods.ts'],
    node: io,
    types: [officialClient],
    lazyPackages: [officialClient, 'http-proxy-agent', 'https-proxy-agent', 'proxy-from-env'],
  },
  oauth: {
    folders: ['base', 'secrets', 'process', 'transport'],
    node: io,
    types: [officialClient],
    lazyPackages: [officialClient],
  },
  connect: {
    folders: ['base', 'framing', 'jsonrpc', 'diagnosis', 'process', 'transport', 'oauth', 'mcp', 'litemcp'],
    node: io,
  },
  doors: {
    folders: ['base', 'framing', 'requests', 'jsonrpc', 'process', 'mcp', 'config', 'http'],
    node: io,
    lazyPackages: ['@opentelemetry/api', 'jose', 'prom-client'],
  },
  entry: {
    folders: [
      'base',
      'jsonrpc',
      'process',
      'transport',
      'oauth',
      'mcp',
      'litemcp',
      'connect',
      'doors',
      'flow',
      'record',
      'live',
      'check',
    ],
  },
  config: {
    folders: ['base', 'secrets', 'framing', 'process', 'mcp'],
    node: io,
    packages: ['jsonc-parser'],
    lazyPackages: ['@decimalturn/toml-patch', 'yaml'],
  },
  record: { folders: ['base', 'secrets', 'framing', 'process', 'flow'], node: io },
  live: { folders: ['base', 'secrets', 'process', 'transport', 'flow', 'record'], node: io },
  tap: {
    folders: ['base', 'secrets', 'framing', 'jsonrpc', 'process', 'transport', 'config', 'flow', 'record', 'live'],
    node: io,
    packages: ['jsonc-parser'],
  },
  host: { folders: belowHost, node: io, types: ['fleet/fleet-status.ts'] },
  fleet: {
    folders: ['base', 'secrets', 'requests', 'jsonrpc', 'process', 'mcp', 'config', 'flow', 'doors', 'host'],
    node: io,
    types: [...wireTypes, ...natsPackages],
    lazyPackages: [...natsPackages],
  },
  analysis: {
    folders: ['base', 'secrets', 'jsonrpc', 'diagnosis', 'flow'],
    lazyPackages: ['@modelcontextprotocol/core'],
  },
  check: {
    folders: [
      'base',
      'secrets',
      'framing',
      'diagnosis',
      'process',
      'transport',
      'mcp',
      'litemcp',
      'config',
      'analysis',
    ],
    node: io,
  },
  http: { folders: ['base'], node: io, packages: ['hono'] },
  inspector: {
    folders: ['base', 'secrets', 'flow', 'analysis', 'record', 'live', 'host', 'http'],
    types: ['mcp', 'fleet'],
    node: io,
  },
  cli: { folders: [...all, 'diagnosis'], node: io, packages: ['commander'] },
  testing: { folders: ['base', 'jsonrpc', 'transport'], node: io },
  /** What lies in no folder: the subpath `standpipe` itself. */
  'index.ts': { folders: ['base', 'jsonrpc', 'transport', 'entry', 'host'] },
};

/** The row of the table, as docs/architecture.md shows it. */
export function ruleAsRow(folder: string): string {
  const { folders, types = [], node, packages = [], lazyPackages = [] } = importRules[folder]!;
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const allowed = [
    folders.map((name) => (name.endsWith('.ts') ? code([name]) : name)).join(', '),
    types.length > 0 ? `types of ${code(types)}` : '',
    node === undefined ? '' : node === 'all' ? '`node:*`' : '`node:*` but not `node:child_process`',
    code(packages),
    lazyPackages.length > 0 ? `${code(lazyPackages)} on first use` : '',
  ];
  return `| ${folder} | ${allowed.filter((part) => part !== '').join('; ') || 'nothing'} |`;
}
