// The filter line of the full-screen view: `server:weather tool:forecast slower:1s errors`, and any text.

import { readDuration } from '../../../base/duration.ts';
import { type EntryFilter, everyEntry } from '../../../observe/show/entry-filter.ts';

const names = { server: 'server', client: 'client', method: 'method', tool: 'target' } as const;

/** A name with spaces is written in quotes: `client:"client 1"`. Words that are not a filter are the text. */
export function parseFilter(line: string): EntryFilter {
  const filter = { ...everyEntry };
  const words: string[] = [];
  for (const [word, key, quoted, plain] of line.matchAll(/([a-z]+):(?:"([^"]*)"|(\S+))|\S+/g)) {
    const value = quoted ?? plain;
    const ms = key === 'slower' && value !== undefined ? readDuration(value) : undefined;
    if (key !== undefined && value !== undefined && Object.hasOwn(names, key)) {
      filter[names[key as keyof typeof names]] = value;
    } else if (ms !== undefined) filter.slowerThanMs = ms;
    else if (word === 'errors') filter.errorsOnly = true;
    else words.push(word);
  }
  return { ...filter, text: words.join(' ') };
}

/** The line that `parseFilter` reads as this filter. */
export function filterLine({ errorsOnly, slowerThanMs, text, ...filter }: EntryFilter): string {
  const given = Object.entries(names).flatMap(([key, member]) => {
    const value = filter[member];
    return value === '' ? [] : [`${key}:${/\s/.test(value) ? `"${value}"` : value}`];
  });
  if (slowerThanMs > 0) given.push(`slower:${slowerThanMs}ms`);
  if (errorsOnly) given.push('errors');
  return [...given, text].filter((part) => part !== '').join(' ');
}
