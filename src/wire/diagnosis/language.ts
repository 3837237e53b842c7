// Infers the language of a server from its command line, so that advice can name the function to call in that language.

import { commandWords, programName } from '../../base/command-line.ts';

export type Language =
  | 'python'
  | 'node'
  | 'java'
  | 'dotnet'
  | 'go'
  | 'rust'
  | 'ruby'
  | 'php'
  | 'perl'
  | 'powershell'
  | 'shell';

const byProgram: readonly [RegExp, Language][] = [
  [/^(?:python|pypy)[\d.]*$|^(?:uv|uvx|pipx|poetry|pdm|fastmcp|hatch)$/, 'python'],
  [/^(?:node|nodejs|npm|npx|pnpm|yarn|bun|bunx|deno|tsx|ts-node|nodemon)$/, 'node'],
  [/^(?:java|javaw|jbang|gradle|gradlew|mvn|kotlin|scala|groovy)$/, 'java'],
  [/^(?:dotnet|mono)$/, 'dotnet'],
  [/^go$/, 'go'],
  [/^cargo$/, 'rust'],
  [/^(?:ruby|bundle|rake)[\d.]*$/, 'ruby'],
  [/^php[\d.]*$/, 'php'],
  [/^perl[\d.]*$/, 'perl'],
  [/^(?:pwsh|powershell)$/, 'powershell'],
];

const byExtension: Readonly<Record<string, Language>> = {
  py: 'python',
  pyw: 'python',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  mts: 'node',
  jar: 'java',
  java: 'java',
  kts: 'java',
  dll: 'dotnet',
  csproj: 'dotnet',
  go: 'go',
  rs: 'rust',
  rb: 'ruby',
  php: 'php',
  pl: 'perl',
  ps1: 'powershell',
  sh: 'shell',
  bash: 'shell',
};

export function languageOfFile(word: string): Language | undefined {
  const extension = /[^\\/]\.([a-z]+)$/i.exec(word)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

export function languageOfProgram(word: string): Language | undefined {
  const name = programName(word);
  return byProgram.find(([pattern]) => pattern.test(name))?.[1];
}

/** Uses the first word that identifies a language. Also handles `env FOO=1 python3 server.py` and `sh -c "node x.js"`. */
export function languageOf(command: string): Language | undefined {
  for (const word of commandWords(command).flatMap((each) => each.split(/\s+/))) {
    const language = languageOfProgram(word) ?? languageOfFile(word);
    if (language) return language;
  }
  return undefined;
}
