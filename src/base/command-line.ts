// Converts a command line to text for people, quoted for the shell of this system, and back. Standpipe never passes the text to a shell.

/** Windows uses PowerShell. Where possible, the text means the same to cmd.exe. */
export type Shell = 'posix' | 'powershell';

/** In the Inspector's page there is no `process`, so the platform comes from the browser. */
const { process, navigator } = globalThis as { process?: { platform?: string }; navigator?: { platform?: string } };
export const shellHere: Shell = /^win/i.test(process?.platform ?? navigator?.platform ?? '') ? 'powershell' : 'posix';

/** Quotes the word if needed, so that it can be pasted into the shell. Placeholders of hidden secrets are not quoted. */
export function shellWord(word: string, shell = shellHere): string {
  if (shell === 'powershell') return powershellWord(word);
  return isPlain(word, /[^\w@%+=:,./-]/) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Double quotes are preferred because cmd.exe reads them too. PowerShell splits options at dots and treats typographic quotes as quotes. */
function powershellWord(word: string): string {
  if (isPlain(word, /[^\w+=:./\\-]|^-.*[.:]/)) return word;
  return /["“”„$`%!\r\n]/.test(word) ? `'${word.replace(/['‘’‚‛]/g, '$&$&')}'` : `"${word}"`;
}

/** Ignores placeholders. One pattern with a repeated group would overflow the stack at a word of several MB. */
function isPlain(word: string, quoted: RegExp): boolean {
  return word !== '' && !quoted.test(word.replace(/\[redacted\]|\[env \w+\]/g, '_'));
}

export function shellWords(words: readonly string[], shell = shellHere): string {
  return words.map((word) => shellWord(word, shell)).join(' ');
}

export function commandLine(command: string, args: readonly string[], shell = shellHere): string {
  const line = shellWords([command, ...args], shell);
  return shell === 'powershell' && /^["']/.test(line) ? `& ${line}` : line; // without &, a quoted word is a value
}

/** The words of a command line. Double quotes are accepted too; a backslash is an escape only before a single quote. */
export function commandWords(line: string, shell = shellHere): string[] {
  const [word, quoted] = forms[shell];
  const words = line.replace(/^& /, '').match(word) ?? [];
  return words.map((word) =>
    word.replace(quoted, (_, double?: string, single?: string) => {
      if (shell === 'powershell') return double ?? single?.replace(/(['‘’‚‛])\1/g, '$1') ?? "'";
      return double ?? single ?? "'";
    }),
  );
}

const forms = {
  posix: [/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\'|\[env \w+\]|[^\s"'\\[]+|\S)+/g, /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\'/g],
  powershell: [/(?:"[^"]*"|'(?:[^']|'')*'|\[env \w+\]|[^\s"'[]+|\S)+/g, /"([^"]*)"|'((?:[^']|'')*)'/g],
} as const;

/**
 * The program name without folder and extension: `/usr/bin/python3.11` is `python3.11`, `C:\Python\python.exe` is
 * `python`.
 */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1)!;
  return name.replace(/\.(?:exe|cmd|bat)$/i, '').toLowerCase();
}
