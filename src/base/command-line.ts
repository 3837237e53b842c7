// A command line as text for people: quoted for a POSIX shell, and split into its words again. Standpipe never passes such a
// text to a shell.

/** Quoted if needed, so that it can be pasted into a POSIX shell. Placeholders of hidden secrets are not quoted. */
export function shellWord(word: string): string {
  return /^(?:[\w@%+=:,./-]|\[redacted\]|\[env \w+\])+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(shellWord).join(' ');
}

/** The words of a command line. Double quotes are understood too; a backslash is an escape only before a single quote. */
export function commandWords(line: string): string[] {
  const words = line.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\'|\[env \w+\]|\S)+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\'/g,
      (_, double?: string, single?: string) => double ?? single ?? "'",
    ),
  );
}

/** The program alone: `/usr/bin/python3.11` is `python3.11`, `C:\Python\python.exe` is `python`. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1)!;
  return name.replace(/\.(?:exe|cmd|bat)$/i, '').toLowerCase();
}
