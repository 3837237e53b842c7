// Which tools of a server may be used: names with `*` and `?`, allowed ones first, then those denied.

export interface ToolFilter {
  allow?: readonly string[];
  deny?: readonly string[];
}

export function mayUse(filter: ToolFilter | undefined, tool: string): boolean {
  if (filter?.allow && !filter.allow.some((glob) => matches(glob, tool))) return false;
  return !filter?.deny?.some((glob) => matches(glob, tool));
}

function matches(glob: string, name: string): boolean {
  const pattern = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${pattern}$`, 's').test(name);
}
