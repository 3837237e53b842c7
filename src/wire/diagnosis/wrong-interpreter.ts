// Programs that exited because they need another interpreter: another language, another version, another module format.

import { commandWords, programName } from '../../base/command-line.ts';
import { languageOfFile, languageOfProgram } from './language.ts';
import { exitRule, quoted, type Rule } from './rule.ts';
import type { SymptomFinding } from './symptoms.ts';

const SYNTAX_ERROR =
  /SyntaxError|IndentationError|syntax error|ERR_UNKNOWN_FILE_EXTENSION|: (?:command )?not found|can't read \/var\/mail\/|Could not find or load main class/;

const runners: Readonly<Record<string, string>> = {
  python: 'python3',
  node: 'node',
  ruby: 'ruby',
  php: 'php',
  perl: 'perl',
  java: 'java -jar',
  powershell: 'pwsh',
  shell: 'bash',
};

/** `node server.py`: the interpreter of one language, the file of another, and a syntax error. */
const otherLanguage: Rule = {
  name: 'wrong-interpreter',
  find(observed) {
    if (!observed.hasFailed || !SYNTAX_ERROR.test(observed.stderr)) return undefined;
    const [program = '', ...rest] = commandWords(observed.symptoms.command);
    const file = rest.find((word) => !word.startsWith('-'));
    if (file === undefined) return undefined;
    const isShell = /^(?:ba|da|z|k)?sh$/.test(programName(program));
    const runs = isShell ? 'shell' : languageOfProgram(program);
    const written = languageOfFile(file);
    if (!runs || !written || runs === written || written === 'dotnet' || runs === 'dotnet') return undefined;
    const runner = runners[written] ?? `a ${written} program`;
    return {
      problem: `is run by the interpreter of another language: ${programName(program)} runs ${quoted(file)}`,
      fix: `Use ${runner} as the command.`,
    };
  },
};

const typescript = exitRule('typescript-file', /Unknown file extension "(\.[mc]?tsx?)"/, ([, extension]) => ({
  problem: `is a ${extension} file, which this version of Node.js does not run`,
  fix: 'Compile it and start the .js file, or start it with npx -y tsx, or use Node.js 22.18 or later.',
}));

const modules: Rule[] = [
  exitRule('esm-or-commonjs', /Cannot use import statement outside a module/, () => ({
    problem: 'uses import in a file that Node.js takes for CommonJS',
    fix: 'Name the file .mjs, or set "type": "module" in its package.json.',
  })),
  exitRule(
    'esm-or-commonjs',
    /(?:require|module|exports|__dirname|__filename) is not defined in ES module scope/,
    ([match]) => ({
      problem: `uses ${match.split(' ')[0]} in a file that Node.js takes for an ES module`,
      fix: 'Name the file .cjs, or use import; import.meta.dirname replaces __dirname.',
    }),
  ),
  exitRule('esm-or-commonjs', /ERR_REQUIRE_ESM|require\(\) of ES Module/, () => ({
    problem: 'loads an ES module with require()',
    fix: 'Use import() or import, or Node.js 20.19 or later, which can require ES modules.',
  })),
];

/** Only Python 2 prints these errors. */
const PYTHON_2 =
  /SyntaxError: Non-ASCII character '\\x|ImportError: No module named (?!')\S|SyntaxError: invalid syntax[\s\S]{0,4000}?python2/;

const pythonVersion: Rule[] = [
  {
    name: 'python-version',
    find(observed) {
      const [program = ''] = commandWords(observed.symptoms.command);
      const isTwo =
        PYTHON_2.test(observed.stderr) ||
        (/^python2/.test(programName(program)) && /SyntaxError/.test(observed.stderr));
      if (!observed.hasFailed || !isTwo) return undefined;
      return {
        problem: 'is run by Python 2',
        fix: 'Use python3 as the command, or the python of its virtual environment.',
      };
    },
  },
  exitRule('python-version', /Missing parentheses in call to 'print'/, () => ({
    problem: 'is written for Python 2 and run by Python 3',
    fix: 'Convert it to Python 3: print is a function.',
  })),
];

/** The class file version minus the Java version: Java 8 uses version 52. */
const JAVA_CLASS_OFFSET = 44;

const javaVersion = exitRule(
  'java-version',
  /UnsupportedClassVersionError[^\n]*?class file version (\d+)[^\n]{0,200}?up to (\d+)?/,
  ([, built, known]): SymptomFinding => ({
    problem: `is compiled for Java ${Number(built) - JAVA_CLASS_OFFSET}${known ? `; this java is version ${Number(known) - JAVA_CLASS_OFFSET}` : ''}`,
    fix: `Use Java ${Number(built) - JAVA_CLASS_OFFSET} or later: write its absolute path as the command, or set JAVA_HOME and PATH in "env".`,
  }),
);

const NEWER_NODE =
  'Use the absolute path of a newer node as the command: programs started from a desktop may find another one in PATH.';

const nodeVersion: Rule[] = [
  exitRule('node-version', /^.*(?:bad option: (\S+)|No such built-in module: (\S+)).*$/m, ([, option, module]) => ({
    problem: `needs another version of Node.js: this one does not know ${option ?? module}`,
    fix: NEWER_NODE,
  })),
  exitRule('node-version', /^.*\brequires\b.{0,60}\bNode(?:\.?js\b| (?:version )?[v>=]*\d).{0,60}$/im, ([line]) => ({
    problem: `needs another version of Node.js: ${quoted(line)}`,
    fix: NEWER_NODE,
  })),
];

const dotnetRuntime = exitRule(
  'dotnet-runtime',
  /You must install or update \.NET|The framework '([^']+)', version '([^']+)'[^\n]*(?:was not found)?/,
  ([, framework, version]) => ({
    problem: `needs a .NET runtime that is not installed${framework ? `: ${framework} ${version}` : ''}`,
    fix: 'Install that runtime (dotnet --list-runtimes lists the installed ones), or publish the server self-contained.',
  }),
);

const carriageReturn = exitRule(
  'crlf-script',
  /env: [^\n]*?(?:\r|\^M|\\r)|(?:\r|\^M): bad interpreter|\$'\\r': command not found|\r: (?:invalid option|(?:command )?not found)|bad option: \S+\r/,
  () => ({
    problem: 'is a script with Windows line ends: the carriage return counts as part of the command',
    fix: 'Convert it: sed -i "s/\\r$//" FILE, or dos2unix; in git: *.sh text eol=lf in .gitattributes.',
  }),
);

export const wrongInterpreter: readonly Rule[] = [
  carriageReturn,
  typescript,
  ...modules,
  ...pythonVersion,
  otherLanguage,
  javaVersion,
  ...nodeVersion,
  dotnetRuntime,
];
