// Compares the imports of one file with the table of folders. Every violation names the file, the line, the import and
// the rule.

import { posix } from 'node:path';
import { isPure, type Room, rooms, spawningPart } from './import-rules.ts';
import { type Import, readImports } from './read-imports.ts';

/** Location of a file: `wire/jsonrpc/peer.ts` is in the part `jsonrpc` of the folder `wire`. */
interface Place {
  room: string;
  part: string;
}

/** `file` is a path below `src`, such as `wire/jsonrpc/peer.ts`. `used` collects the permissions that are needed. */
export function checkImports(file: string, source: string, used = new Set<string>()): string[] {
  const place = placeOf(file);
  const room = rooms[place.room];
  if (!room) return [`src/${file}: the folder ${place.room} is not in the table; add it to import-rules.ts`];
  return readImports(source).flatMap((each) => {
    const why = whyNot(each, file, place, room, used);
    return why ? [`src/${file}:${each.line} imports ${each.specifier ?? 'a computed name'}: ${why}`] : [];
  });
}

/** The permissions of the table that no import needs. */
export function unusedPermissions(used: ReadonlySet<string>): string[] {
  return Object.entries(rooms).flatMap(([name, { imports, packages = [], lazyPackages = [], typePackages = [] }]) =>
    [...imports, ...packages, ...lazyPackages, ...typePackages]
      .map((permission) => `${name}: ${permission}`)
      .filter((permission) => !used.has(permission)),
  );
}

function placeOf(file: string): Place {
  const [room = '', folder = ''] = file.split('/');
  return { room, part: rooms[room]?.parts?.includes(folder) ? folder : '.' };
}

function whyNot(each: Import, file: string, place: Place, room: Room, used: Set<string>): string | undefined {
  const { specifier } = each;
  if (specifier === undefined) return 'a name must be written out, so that it can be checked';
  if (specifier.startsWith('node:')) return whyNotNode(specifier, place);
  if (specifier.startsWith('.')) return whyNotFile(posix.join(posix.dirname(file), specifier), place, room, used);
  return whyNotPackage(each, packageOf(specifier), place.room, room, used);
}

function whyNotNode(specifier: string, { room, part }: Place): string | undefined {
  if (isPure(room, part)) return `${pathOf({ room, part })} is pure and may import nothing of Node.js`;
  const isForbidden = specifier === 'node:child_process' && `${room}/${part}` !== spawningPart;
  return isForbidden ? `only ${spawningPart} may import node:child_process` : undefined;
}

function whyNotFile(target: string, from: Place, room: Room, used: Set<string>): string | undefined {
  if (target.startsWith('..')) return 'it lies outside of src';
  const to = placeOf(target);
  if (room.imports.includes(target)) {
    used.add(`${from.room}: ${target}`);
    return undefined;
  }
  if (to.room === from.room) {
    const parts = room.parts ?? ['.'];
    if (parts.indexOf(to.part) > parts.indexOf(from.part))
      return `${pathOf(from)} may not import ${pathOf(to)}, which is above it`;
  } else {
    if (!room.imports.includes(to.room)) {
      return `${from.room} may not import ${to.room}; it may import ${room.imports.join(', ') || 'nothing'}`;
    }
    used.add(`${from.room}: ${to.room}`);
  }
  const breaksPurity = isPure(from.room, from.part) && !isPure(to.room, to.part);
  return breaksPurity ? `${pathOf(from)} is pure and ${pathOf(to)} is not` : undefined;
}

function whyNotPackage(each: Import, name: string, room: string, rule: Room, used: Set<string>): string | undefined {
  used.add(`${room}: ${name}`);
  if (rule.packages?.includes(name)) return undefined;
  if (rule.lazyPackages?.includes(name)) {
    return each.typeOnly || each.dynamic ? undefined : `${room} may load ${name} on first use only: write \`import()\``;
  }
  if (rule.typePackages?.includes(name)) {
    return each.typeOnly ? undefined : `${room} may use only types of ${name}: write \`import type\``;
  }
  return `${room} may not import the package ${name}`;
}

const pathOf = ({ room, part }: Place): string => (part === '.' ? room : `${room}/${part}`);

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
