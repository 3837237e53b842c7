// A command and its arguments as one line for people to read, and to paste into a POSIX shell. Never handed to a shell by us.

export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quote).join(' ');
}

function quote(word: string): string {
  return /^(?:[\w@%+=:,./-]|\[redacted\]|\[env \w+\])+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
