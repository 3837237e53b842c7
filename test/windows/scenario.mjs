// The tools of a scenario: a separate folder and user profile, the command line over Windows pipes, and the end of all processes that it
// started. A file in scenarios/ exports one group:
//
//   export default group('Launching', {
//     'starts a program below a folder with spaces': async (t) => {
//       const { code, stdout } = await t.run(['call', 'args', '--', ...t.server(), 'a b']);
//       assert.equal(code, 0);
//     },
//     'a scenario that a fault of Wine prevents': { wineFault: 'name-of-file-in-wine-faults', run: async (t) => {} },
//   });
//
// A title is a row of the table in docs/platforms.md.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Upper limit for a step, far longer than it should take. */
const WITHIN_MS = 120_000;

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `scenarios`: for each title, a function, or an object with `run` and the name of a fault of Wine that may make it
 * fail.
 */
export function group(title, scenarios) {
  const list = Object.entries(scenarios).map(([name, value]) => ({
    title: `${title}: ${name}`,
    ...(typeof value === 'function' ? { run: value } : value),
  }));
  return { scenarios: list };
}

export class ScenarioTools {
  folder = mkdtempSync(join(tmpdir(), 'standpipe windows ü '));
  #started = [];

  /** The environment of a separate user, which shares nothing with other scenarios. */
  userEnv(name = 'user') {
    const profile = join(this.folder, name);
    const folders = {
      USERPROFILE: profile,
      APPDATA: join(profile, 'AppData', 'Roaming'),
      LOCALAPPDATA: join(profile, 'AppData', 'Local'),
      TEMP: join(profile, 'AppData', 'Local', 'Temp'),
      TMP: join(profile, 'AppData', 'Local', 'Temp'),
    };
    for (const each of Object.values(folders)) mkdirSync(each, { recursive: true });
    const isPersonal = (key) => /^(?:XDG_|HOME)/.test(key);
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !isPersonal(key)));
    return { ...inherited, ...folders, USERNAME: name, STANDPIPE_KEYRING: 'off' };
  }

  /** Writes a file below the folder, and returns its path. */
  write(name, text) {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Writes a config and returns its path. */
  config(servers, name = 'mcp.json') {
    return this.write(name, JSON.stringify({ mcpServers: servers }, null, 2));
  }

  /** Command and arguments of the server in servers/. */
  server(...args) {
    return [process.execPath, join(repository, 'test', 'windows', 'servers', 'windows-server.mjs'), ...args];
  }

  /**
   * Writes a batch file that starts that server with its arguments, and returns its path. Its text is ASCII, because
   * cmd.exe reads it in the code page of the system.
   */
  batchFile(name) {
    const url = pathToFileURL(this.server()[1]).href;
    this.write(join(dirname(name), 'server.mjs'), `import '${url}';\n`);
    return this.write(name, '@node "%~dp0server.mjs" %*\r\n');
  }

  /** The entry of the server in a config. The server writes files into `marks()`. */
  serverEntry(env = {}) {
    const [command, ...args] = this.server();
    return { command, args, env: { MARKS: this.marksFolder, ...env } };
  }

  get marksFolder() {
    const folder = join(this.folder, 'marks');
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Pids of processes that wrote a mark `<name>.<pid>`. */
  pids(name = '') {
    const files = readdirSync(this.marksFolder).filter((file) => file.startsWith(name));
    return files.map((file) => Number(file.slice(file.lastIndexOf('.') + 1)));
  }

  /** Waits for that many marks, and returns their pids. */
  async marked(name, count = 1) {
    await this.until(`${count} × ${name}`, () => this.pids(name).length >= count);
    return this.pids(name);
  }

  /** Starts any program over Windows pipes; it ends with the scenario. */
  spawn(command, args = [], options = {}) {
    const child = spawn(command, args, { cwd: this.folder, env: this.userEnv(), windowsHide: true, ...options });
    const running = new Running(this, child);
    this.#started.push(running);
    return running;
  }

  /** Starts the command line of Standpipe. */
  start(args, options = {}) {
    return this.spawn(process.execPath, [join(repository, 'dist', 'cli', 'main.cjs'), ...args], options);
  }

  /** The official client for an entry of a config, which it starts over Windows pipes as an editor does. */
  async client({ command, args = [], env = {} }, userEnv = this.userEnv()) {
    const { Client } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const client = new Client({ name: 'window', version: '1' });
    this.#started.push({ kill: () => endProcess(transport.pid), closed: undefined });
    const transport = new StdioClientTransport({
      ...{ command, args, env: { ...userEnv, ...env }, cwd: this.folder },
      stderr: 'pipe',
    });
    transport.stderr.resume();
    await client.connect(transport);
    const text = async (name, given = {}) => (await client.callTool({ name, arguments: given })).content[0].text;
    return { client, text, pid: transport.pid, close: () => client.close() };
  }

  /** Starts `standpipe up` for a config, and resolves when its servers are ready. */
  async host(config, args = [], options = {}) {
    const host = this.start(['up', '--no-inspector', '--config', config, ...args], options);
    for (const name of Object.keys(JSON.parse(readFileSync(config, 'utf8')).mcpServers))
      await host.says(new RegExp(`${name} ready`));
    return host;
  }

  /** Runs a command to its end: `{ code, stdout, stderr }`. */
  async run(args, { input = '', ...options } = {}) {
    return this.start(args, options).end(input);
  }

  /** Runs a command, fails unless the exit code is 0, and returns stdout. */
  async succeed(args, options) {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`standpipe ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  isAlive(pid) {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error.code === 'EPERM';
    }
  }

  async until(what, holds, withinMs = WITHIN_MS / 2) {
    const deadlineMs = performance.now() + withinMs;
    while (!(await holds())) {
      if (performance.now() > deadlineMs) throw new Error(`Not within ${withinMs / 1000} s: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async untilGone(pids, what = 'the processes have ended') {
    const left = () => pids.filter((pid) => this.isAlive(pid));
    await this.until(what, () => left().length === 0, WITHIN_MS / 4).catch((error) => {
      throw new Error(`${error.message}; left: ${left()} of ${pids}`);
    });
  }

  /** Ends all processes that the scenario started, and those that left a mark. */
  async close() {
    for (const running of this.#started) running.kill();
    for (const pid of this.pids()) endProcess(pid);
    await Promise.all(this.#started.map((running) => running.closed));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has ended
  }
}

/** A process with its output so far. */
class Running {
  stdout = '';
  stderr = '';
  #tools;

  constructor(tools, child) {
    this.#tools = tools;
    this.child = child;
    this.pid = child.pid;
    for (const name of ['stdout', 'stderr'])
      child[name]?.setEncoding('utf8').on('data', (text) => {
        this[name] += text;
      });
    child.stdin?.on('error', () => undefined); // it may exit without reading
    // Without a pid, an 'error' event replaces the exit.
    this.closed = once(child, 'close').then(
      ([code]) => code,
      (error) => error,
    );
  }

  /** Waits until stdout matches, and returns the match. */
  async says(pattern, stream = 'stdout') {
    const found = () => pattern.exec(this[stream]);
    const hasEnded = () => this.child.exitCode !== null;
    await this.#tools
      .until(`${stream} matches ${pattern}`, () => found() || hasEnded())
      .catch((error) => this.#fail(error.message));
    return found() ?? this.#fail(`It ended with ${this.child.exitCode} before ${stream} matched ${pattern}`);
  }

  /** Writes one JSON-RPC message. */
  send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends stdin, and waits for the exit. */
  async end(input = '') {
    this.child.stdin.end(input);
    const code = await this.closed;
    if (code instanceof Error) throw code;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  /** Kills the process without warning, as the task manager does. */
  kill() {
    this.child.kill('SIGKILL');
  }

  #fail(message) {
    throw new Error(`${message}\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
  }
}

/** Runs one scenario. Returns the error, or undefined. */
export async function runScenario({ run }) {
  const tools = new ScenarioTools();
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not end within ${WITHIN_MS / 1000} s`)), WITHIN_MS);
  });
  try {
    await Promise.race([run(tools), timeout]);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    clearTimeout(timer);
    await tools.close().catch((error) => console.log(`  not cleaned up: ${error.message}`));
  }
}

/** The scenarios in scenarios/*.mjs, ordered by name; with words, those whose file or title contains one of them. */
export async function readScenarios(words = []) {
  const folder = new URL('scenarios/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const lists = await Promise.all(
    files.sort().map(async (file) => {
      const { scenarios } = (await import(new URL(file, folder).href)).default;
      const isChosen = ({ title }) => words.length === 0 || words.some((word) => `${file} ${title}`.includes(word));
      return scenarios.filter(isChosen);
    }),
  );
  return lists.flat();
}

/** The comment at the top of a program in wine-faults/ describes the fault. */
export function readFaults() {
  const folder = new URL('wine-faults/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => ({
      name: name.replace('.mjs', ''),
      path: fileURLToPath(new URL(name, folder)),
      text: readFileSync(new URL(name, folder), 'utf8'),
    }));
}
