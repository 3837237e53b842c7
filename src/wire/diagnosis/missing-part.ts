// Programs that exited because something is missing: a file, a package, a variable, a permission, a free port.

import { commandWords, programName, shellHere, shellWord } from '../../base/command-line.ts';
import { languageOfProgram } from './language.ts';
import type { Observations } from './observations.ts';
import { exitRule, lastError, quoted, quotedEnd, type Rule } from './rule.ts';
import { passOn, withheldVariable } from './withheld-variable.ts';

const WRONG_PLACE = 'A relative path is resolved against "cwd" of the server: use the absolute path, or set "cwd".';

/** A file that another file requires by a relative path. */
const requiredFile = exitRule(
  'module-not-found',
  /Cannot find module '(\.[^']+)'\r?\nRequire stack:\r?\n- ((?:[a-z]:)?[\\/][^\r\n]+)/i,
  ([, file, from]) => {
    const [, inPackage] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(from!) ?? [];
    if (inPackage && file!.endsWith('.node')) return nativePartMissing(inPackage);
    const where = `${quotedEnd(from!)} requires the file ${quoted(file!)}, which does not exist`;
    return inPackage
      ? {
          problem: `has an incomplete package: ${where}`,
          fix: `Install the package ${quoted(inPackage)} again: npm ci.`,
        }
      : {
          problem: `cannot load a file: ${where}`,
          fix: 'Build the server first (npm run build), or correct the path.',
        };
  },
);

function nativePartMissing(name: string) {
  return {
    problem: `needs the native part of the package ${quoted(name)}, which is not built`,
    fix: `Run npm rebuild ${name} in the folder of the server. Without its install scripts (--ignore-scripts), the package is incomplete.`,
  };
}

const nativePart = exitRule(
  'module-not-found',
  /Could not locate the bindings file|No native build was found for |was compiled against a different Node\.js version/,
  () => ({
    problem: 'needs the native part of a package, which is not built for this version of Node.js',
    fix: 'Run npm rebuild in the folder of the server, with the version of Node.js that runs the server.',
  }),
);

const scriptFile = exitRule(
  'file-not-found',
  /can't open file '([^']+)'|Cannot find module '([^']+)'\n(?:Require stack:|[\s\S]{0,2000}?requireStack: \[\])|Unable to access jarfile (.+)|No such file or directory -- (.+?)(?: \(LoadError\))?$|Could not open input file: (.+)|Can't open perl script "([^"]+)"|Module not found "(file:[^"]+)"|cannot open ([^\n:]+): No such file|^(?:ba)?sh: (?:line )?(?:\d+: )?([^\n:]+): No such file or directory/m,
  (match, observed) => {
    const file = match.slice(1).find((each) => each !== undefined) ?? '';
    return isFileName(file)
      ? { problem: `cannot be found: there is no file ${quoted(file)}`, fix: WRONG_PLACE }
      : packageMissing(file, observed);
  },
);

function isFileName(name: string): boolean {
  return /^(?:\.{0,2}[\\/]|[a-z]:[\\/]|file:)|\.\w+$/i.test(name);
}

function packageMissing(name: string, observed: Observations) {
  const [program = 'node'] = commandWords(observed.symptoms.command);
  if (programName(program) === 'npx')
    return {
      problem: `needs the package ${quoted(name)}`,
      fix: 'Clear the cache of npx (npm cache clean --force) and try again.',
    };
  return {
    problem: `needs the package ${quoted(name)}, which is not installed`,
    fix: 'Run npm install (or npm ci) in the folder of the server.',
  };
}

const nodePackage = exitRule('module-not-found', /Cannot find (?:module|package) '([^']+)'/, ([, name], observed) =>
  isFileName(name!) ? importMissing(name!) : packageMissing(name!, observed),
);

function importMissing(file: string) {
  const [, inPackage] = /.*[\\/]node_modules[\\/](.+)$/.exec(file) ?? [];
  if (inPackage === undefined)
    return {
      problem: `imports the file ${quotedEnd(file)}, which does not exist`,
      fix: `Build the server first (npm run build). ${WRONG_PLACE}`,
    };
  return {
    problem: `imports ${quotedEnd(inPackage)}, which its package does not have`,
    fix: /\.[cm]?js$/.test(inPackage)
      ? 'Correct the path of the import, or install the version of the package that has it.'
      : 'Complete the path of the import: ES modules need the file extension, for example "@modelcontextprotocol/sdk/server/mcp.js".',
  };
}

const pythonModule = exitRule(
  'module-not-found',
  /^(?:ModuleNotFoundError|ImportError|[^\s:]*python[^\s:]*): [^\n]*?No module named '?([\w.]+)'?/m,
  ([, name], observed) => {
    const [program = 'python3'] = commandWords(observed.symptoms.command);
    const python =
      languageOfProgram(program) === 'python' && /^python/.test(programName(program)) ? program : 'python3';
    return {
      problem: `needs the Python module ${quoted(name!)}, which this interpreter does not have`,
      fix: `Use the python of the server's virtual environment as the command (.venv/bin/python, or uv run), or install it: ${python} -m pip install ${name!.split('.')[0]}`,
    };
  },
);

const otherModules: Rule[] = [
  exitRule(
    'module-not-found',
    /cannot load such file -- (.+?)(?: \(LoadError\))?$|Could not find gem '([^']+)'/m,
    ([, file, gem]) => ({
      problem: `needs ${quoted(file ?? gem ?? '')}, which Ruby does not find`,
      fix: 'Run bundle install, and start it with bundle exec.',
    }),
  ),
  exitRule(
    'module-not-found',
    /Could not find or load main class (\S+)|no main manifest attribute, in (.+)/,
    ([, name, jar]) => ({
      problem: jar ? `is ${jar}, which has no main class` : `has no class ${name} on its class path`,
      fix: jar
        ? 'Build the jar with its dependencies (shade, bootJar), or use java -cp … MainClass.'
        : 'Correct -cp and the name of the class; for a jar: java -jar FILE.',
    }),
  ),
  exitRule('wrong-folder', /Missing script: "?([\w:-]+)/, ([, script]) => ({
    problem: `is started by the npm script ${quoted(script!)}, which the package.json of its folder does not have`,
    fix: 'Correct the name of the script, or set "cwd" to the folder of the project.',
  })),
  exitRule(
    'wrong-folder',
    /go\.mod file not found|no required module provides package|could not find `Cargo\.toml`|Couldn't find a project to run|ENOENT[^\n]*package\.json/,
    () => ({
      problem: 'was started in a folder that is not its project',
      fix: 'Set "cwd" to the folder of the project (npm --prefix, uv --directory, cargo --manifest-path do the same).',
    }),
  ),
];

const registry: Rule[] = [
  exitRule(
    'package-not-found',
    /E?404[^\n]*?'?(@?[\w./-]+)@[^\n]*(?:is not in this registry|could not be found)|No solution found when resolving|could not determine executable to run/,
    ([match, name]) => ({
      problem: name
        ? `is a package that is not in the registry: ${quoted(name)}`
        : `cannot be installed: ${quoted(match)}`,
      fix: 'Correct the name of the package. For a package with several programs: npx -p PACKAGE PROGRAM, uvx --from PACKAGE PROGRAM.',
    }),
  ),
  exitRule(
    'registry-unreachable',
    /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)[^\n]*(?:registry|npm)|npm (?:ERR!|error) network|Failed to (?:fetch|download)[^\n]*(?:pypi|simple)/i,
    () => ({
      problem: 'could not be downloaded: the package registry cannot be reached',
      fix: 'Check the network and the proxy (HTTPS_PROXY in "env": it is not inherited), or install the package first.',
    }),
  ),
];

/** `KeyError: 'API_KEY'` counts only if the environment was read. */
const variable: Rule = {
  name: 'variable-not-set',
  find(observed) {
    const text = `${observed.lines}\n${observed.stderr}`;
    const withheld = observed.hasExited ? withheldVariable(text, observed.symptoms.withheld ?? []) : undefined;
    if (withheld !== undefined) {
      return { problem: `needs the environment variable ${withheld}`, fix: passOn(withheld) };
    }
    if (!observed.hasFailed) return undefined;
    const isPython = /os\.environ|os\.py|<frozen os>/.test(text);
    const name = (isPython && lastError(/^KeyError: '([A-Z][A-Z0-9_]+)'/m, text)?.[1]) || namedVariable(text);
    if (name === undefined) return undefined;
    return {
      problem: `needs the environment variable ${name}`,
      fix: `Set ${name} and pass it on with --env ${name} before the --; in a config, set it in "env" of the server. Servers get a short list of variables (PATH, HOME and similar), not the whole environment.`,
    };
  },
};

/** A line that names an environment variable and reports that it is needed. */
function namedVariable(text: string): string | undefined {
  const line = text
    .split('\n')
    .findLast(
      (each) =>
        /\benv(?:ironment)?[ -]?var/i.test(each) &&
        /\b(?:not|missing|required?|must|needs?|please|undefined)\b/i.test(each),
    );
  return line && /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/.exec(line)?.[0];
}

const others: Rule[] = [
  exitRule(
    'permission-denied',
    /PermissionError: \[Errno 13\][^\n]*: '([^']+)'|EACCES: permission denied, \w+ '([^']+)'|^[^\n]*?(\.{0,2}\/[^\n:']*|[^\s:]+): Permission denied$/m,
    (match) => {
      const file = match.slice(1).find((each) => each !== undefined) ?? '';
      return {
        problem: `cannot access ${quoted(file)}: permission denied`,
        fix:
          shellHere === 'posix'
            ? `Check ls -l ${shellWord(file)}: a script needs chmod +x, a folder w and x for the user who starts the server.`
            : `Check the permissions with icacls ${shellWord(file)}, and whether another program has it open.`,
      };
    },
  ),
  exitRule('deno-permission', /Requires (\w+) access[\s\S]{0,1000}?(--allow-\w+)/, ([, what, flag]) => ({
    problem: `is not allowed ${what} access by Deno`,
    fix: `Add ${flag} after "deno run".`,
  })),
  exitRule('port-in-use', /EADDRINUSE[^\n]*?(\d{2,5})\b|Address already in use/i, ([, port]) => ({
    problem: `opens a network port that is in use${port ? ` (${port})` : ''}`,
    fix: 'Start it in its stdio mode (--stdio, --transport stdio), or stop the other instance.',
  })),
  exitRule('out-of-memory', /JavaScript heap out of memory|java\.lang\.OutOfMemoryError|^MemoryError/m, () => ({
    problem: 'ran out of memory',
    fix: 'Raise its limit (node --max-old-space-size=4096, java -Xmx2g), or load less at its start.',
  })),
  exitRule(
    'command-not-found',
    /(?:^|: )(\.{0,2}\/[^\n:]*|[^\s:]+): (?:command )?not found$|'([^']+)' is not recognized as an internal or external command/m,
    ([, name, onWindows]) => ({
      problem: `starts ${quoted(name ?? onWindows ?? '')}, which is not found`,
      fix: 'Install it, or set PATH in "env" of the server: programs started from a desktop get a shorter PATH.',
    }),
  ),
];

export const missingPart: readonly Rule[] = [
  requiredFile,
  nativePart,
  scriptFile,
  pythonModule,
  nodePackage,
  ...otherModules,
  ...registry,
  variable,
  ...others,
];
