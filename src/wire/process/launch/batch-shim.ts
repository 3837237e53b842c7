// Parses a batch file that only starts one program with the given arguments, so that the program can be started without cmd.exe, which
// would parse the arguments again. Package managers create such files: npm (cmd-shim; npm.cmd and npx.cmd of the Node.js installer), pnpm,
// yarn and corepack. Every line must be recognised: a file with any other line is left to cmd.exe.

import { programName } from '../../../base/command-line.ts';
import { findCommand } from './find-command.ts';
import { pathModuleOf, type Surroundings, type System } from './system.ts';

export interface ShimTarget {
  command: string;
  /** Arguments that precede those of the caller. */
  args: string[];
  /** Variables that the batch file sets for its program. */
  variables: Record<string, string>;
}

/**
 * Resolves to undefined if the file is not a recognised shim. Runs the npm script that prints its prefix, as npx.cmd
 * does.
 */
export async function readShim(
  file: string,
  surroundings: Surroundings,
  system: System,
): Promise<ShimTarget | undefined> {
  const text = system.start(file);
  // The file uses a different code page, or is longer than the part that was read.
  if (text.includes('\uFFFD') || text.length >= MOST_CHARACTERS) return undefined;
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^@\s*/, ''));
  const kinds = lines.map(kindOf);
  if (kinds.includes(undefined)) return undefined;
  const reading = new Reading(file, surroundings, system);
  for (const [at, kind] of kinds.entries()) {
    if (kind!.isStructure || reading.isActive) await kind!.read(kind!.form.exec(lines[at]!)!, reading);
  }
  const [target, ...more] = reading.targets;
  return more.length === 0 ? target : undefined;
}

/** Upper limit; actual shims have fewer than 2,000 characters. */
const MOST_CHARACTERS = 16_384;

const references = /%%f\b|%~dp0|%([a-z_]\w*)(?::([^=%]+)=([^%]*))?%/gi;

/** State of the interpretation of a batch file. */
class Reading {
  readonly surroundings: Surroundings;
  readonly system: System;
  /** Whether the lines of each open block are executed. */
  readonly blocks: boolean[] = [];
  readonly targets: ShimTarget[] = [];
  readonly #folder: string;
  /** Inherited variables, keyed by upper-case name. */
  readonly #inherited = new Map<string, string>();
  readonly #set = new Map<string, string>();

  constructor(file: string, surroundings: Surroundings, system: System) {
    this.surroundings = surroundings;
    this.system = system;
    this.#folder = `${pathModuleOf(system).dirname(file)}\\`;
    for (const [name, value] of Object.entries(surroundings.environment)) {
      this.#inherited.set(name.toUpperCase(), value ?? '');
    }
    this.#inherited.set('DP0', this.#folder); // npm sets DP0 in a subroutine that may be at the end of the file
  }

  get isActive(): boolean {
    return this.blocks.every(Boolean);
  }

  get variables(): Record<string, string> {
    return Object.fromEntries(this.#set);
  }

  valueOf(name: string): string {
    return this.#set.get(name.toUpperCase()) ?? this.#inherited.get(name.toUpperCase()) ?? '';
  }

  set(name: string, value: string): void {
    this.#set.set(name.toUpperCase(), value);
  }

  /** Expands one word of a command. Paths of package managers have two backslashes after the folder. */
  word(text: string): string {
    const word = this.expand(text);
    return word.startsWith(this.#folder) ? pathModuleOf(this.system).normalize(word) : word;
  }

  expand(text: string): string {
    return text.replace(references, (reference, name?: string, from?: string, to?: string) => {
      if (!name) return reference.startsWith('%%') ? this.valueOf('%%F') : this.#folder;
      return from === undefined ? this.valueOf(name) : this.valueOf(name).replaceAll(from, to!);
    });
  }
}

interface LineKind {
  form: RegExp;
  /** Block boundaries are tracked even where lines are not executed. */
  isStructure?: boolean;
  read(match: RegExpExecArray, reading: Reading): unknown;
}

const lineKinds: readonly LineKind[] = [
  {
    form: /^(?:(?:::|rem\b).*|echo off|setlocal|endlocal|goto start|:start|:find_dp0|call :find_dp0|exit \/b(?: %errorlevel%)?)?$/i,
    read: () => undefined,
  },
  {
    form: /^set (?:"(\w+)=([^"]*)"|(\w+)=([^"&|<>^]*))$/i,
    read: ([, name, value, bare, ofBare], reading) => reading.set((name ?? bare)!, reading.expand((value ?? ofBare)!)),
  },
  {
    form: /^if (not )?(?:exist "([^"]+)"|defined (\w+)) \($/i,
    isStructure: true,
    read([, not, path, name], reading) {
      const holds = path === undefined ? reading.valueOf(name!) : reading.system.kindOf(reading.expand(path));
      reading.blocks.push(Boolean(holds) === (not === undefined));
    },
  },
  { form: /^\) else \($/i, isStructure: true, read: (_, { blocks }) => blocks.push(!blocks.pop()) },
  { form: /^\)$/, isStructure: true, read: (_, { blocks }) => blocks.pop() },
  {
    // npx.cmd: an npm below the global prefix takes precedence.
    form: /^for \/f "delims=" %%f in \('call "(%node_exe%)" "(%npm_(?:prefix|cli)_js%)"( prefix -g)?'\) do \($/i,
    isStructure: true,
    async read([, node, script, words], reading) {
      const { surroundings, system, blocks } = reading;
      const found = reading.isActive ? findCommand(reading.expand(node!), surroundings, system) : undefined;
      const args = [reading.expand(script!), ...(words ? ['prefix', '-g'] : [])];
      const prefix = found && (await system.output(found.file, args, surroundings))?.trim();
      reading.set('%%F', prefix ?? '');
      blocks.push(Boolean(prefix));
    },
  },
  {
    // npm resets its variables and leaves the batch file before it starts the program.
    form: /^(endlocal & goto #_undefined_# 2>nul \|\| title %comspec% & )?(?:call )?((?:(?:"[^"]*[^"\\]"|[^\s"&|<>^()!*]+)\s+)+)%\*$/i,
    read([, undone, text], reading) {
      const words = text!.match(/"[^"]*"|\S+/g)!.map((word) => reading.word(word.replaceAll('"', '')));
      // pnpm: the program is itself a batch file.
      const isShell = programName(words[0]!) === 'cmd' && words[1]?.toLowerCase() === '/c';
      const [command, ...args] = isShell ? words.slice(2) : words;
      if (command) reading.targets.push({ command, args, variables: undone ? {} : reading.variables });
    },
  },
];

/** Built-in commands of cmd.exe. */
const builtIn =
  /^(?:call :|(?:assoc|break|cd|chdir|cls|color|copy|date|del|dir|echo|erase|exit|for|ftype|goto|if|md|mkdir|mklink|move|path|pause|popd|prompt|pushd|rd|ren|rename|rmdir|set|shift|start|time|title|type|ver|verify|vol) ).*%\*$/i;

function kindOf(line: string): LineKind | undefined {
  const isClear = !builtIn.test(line) && !line.replace(/%\*$/, '').replace(references, '').includes('%');
  return isClear ? lineKinds.find(({ form }) => form.test(line)) : undefined;
}
