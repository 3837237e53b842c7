// Builds the command line that makes cmd.exe pass arguments to a batch file unchanged, even if the file forwards them with %*, %1 or "%~1".
// cmd.exe parses both the command line and the expanded lines of the batch file by the same rules. Within double quotes, only % and the
// quote are special. So each argument is quoted, and a quote is doubled: cmd.exe closes and reopens the quoted part, and the C runtime of
// the program reads one quote (Microsoft's since 2008; Rust, Python and .NET alike). Arguments that quoting cannot protect are refused.

import { UsageError } from '../../../base/errors.ts';

/** Maximum length of a cmd.exe command line, in characters. */
const LONGEST = 8191;

/** Arguments for cmd.exe, to be passed verbatim. `content`: the text of the batch file. Throws UsageError. */
export function batchLine(file: string, args: readonly string[], content: string): string[] {
  for (const [at, arg] of args.entries()) refuseUnsafe(arg, at + 1, file, content);
  const line = [`"${withoutVariables(file)}"`, ...args.map(quoted)].join(' ');
  if (line.length > LONGEST)
    throw refusal(file, `its command line would have ${line.length} characters; cmd.exe allows ${LONGEST}`);
  // /d: skip AutoRun commands of the registry. /e:on: required by `quoted`. /v:off: ! is an ordinary character. /s: strip only the outer
  // quotes.
  return ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`];
}

/** Quotes only if necessary, because batch files compare arguments with unquoted words. */
function quoted(arg: string): string {
  if (/^[\w#$+\-./:@\\]+$/.test(arg)) return arg;
  const doubled = arg.replace(/(\\*)("|$)/g, (_, slashes: string, quote: string) => slashes + slashes + quote + quote);
  return `"${withoutVariables(doubled)}"`;
}

/** `%NAME%` is expanded even within quotes. `%cd:~,%` expands to an empty string and separates the % from the name. */
function withoutVariables(text: string): string {
  return text.replaceAll('%', '%%cd:~,%');
}

/** Patterns of batch files that parse their arguments once more than `batchLine` allows for. */
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
