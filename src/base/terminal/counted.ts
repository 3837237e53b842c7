/** Formats a count with its noun: `1 server`, `2 servers`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
