// The command line that makes cmd.exe pass arguments to a batch file unchanged, also where the file passes them on by %*, %1 or
// "%~1". cmd.exe parses the line, and the batch file's lines with the arguments in them, by the same rules. Between double quotes
// they leave all characters alone but % and the quote. So each argument is quoted, and a quote is written twice: that closes and
// opens it for cmd.exe, and is one quote for the C runtime of the program (Microsoft's since 2008; Rust, Python and .NET alike).
// What no quoting can protect is refused.

import { UsageError } from '../../base/errors.ts';

/** The longest command line that cmd.exe takes, in characters. */
const LONGEST = 8191;

/** Arguments for cmd.exe, to be passed verbatim. `content`: of the batch file. Throws UsageError. */
export function batchLine(file: string, args: readonly string[], content: string): string[] {
  for (const [at, arg] of args.entries()) refuseUnsafe(arg, at + 1, file, content);
  const line = [`"${withoutVariables(file)}"`, ...args.map(quoted)].join(' ');
  if (line.length > LONGEST)
    throw refusal(file, `its command line would have ${line.length} characters; cmd.exe allows ${LONGEST}`);
  // /d: without AutoRun commands of the registry. /e:on: `quoted` uses it. /v:off: ! has no meaning. /s: only the outer quotes go.
  return ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`];
}

/** Without quotes where none are needed: batch files compare arguments with words. */
function quoted(arg: string): string {
  if (/^[\w#$+\-./:@\\]+$/.test(arg)) return arg;
  const doubled = arg.replace(/(\\*)("|$)/g, (_, slashes: string, quote: string) => slashes + slashes + quote + quote);
  return `"${withoutVariables(doubled)}"`;
}

/** `%NAME%` is a variable, also between quotes. `%cd:~,%` is an empty part of one, and separates the % from the name. */
function withoutVariables(text: string): string {
  return text.replaceAll('%', '%%cd:~,%');
}

/** Batch files that parse their arguments once more than `batchLine` allows for. */
const habits = [
  {
    habit: /(?<![\w.-])(?:call|start|cmd(?:\.exe)?|%comspec%)"?\s[^\r\n]*%(?:\*|~?[a-z]*[1-9])/i,
    characters: /[%^]/,
    what: '% or ^',
    does: 'parses its arguments twice',
  },
  { habit: /enabledelayedexpansion/i, characters: /[!^]/, what: '! or ^', does: 'enables delayed expansion' },
] as const;

function refuseUnsafe(arg: string, number: number, file: string, content: string): void {
  if (/[\r\n]/.test(arg)) throw refusal(file, `argument ${number} has a line break, where cmd.exe ends a command`);
  for (const { habit, characters, what, does } of habits) {
    if (characters.test(arg) && habit.test(content)) {
      throw refusal(file, `argument ${number} contains ${what}, and this batch file ${does}`);
    }
  }
}

function refusal(file: string, why: string): UsageError {
  return new UsageError('INVALID_OPTION', `Cannot start ${JSON.stringify(file)}: ${why}.`, {
    hint: 'Use the program that the batch file starts as the command, or pass the value in "env" or in a file.',
  });
}
