// Writes a value as JSON, in the layout of the text that it becomes part of.

import type { Layout } from './layout.ts';

/** Objects have one member a line, and lists of plain values are on one line. */
export function formatted(value: unknown, layout: Layout, indent: string): string {
  const { lineBreak, unit } = layout;
  const deeper = indent + unit;
  const lines = (parts: string[]) =>
    `${lineBreak}${parts.map((part) => deeper + part).join(`,${lineBreak}`)}${lineBreak}${indent}`;
  if (Array.isArray(value) && value.some((each) => typeof each === 'object')) {
    return `[${lines(value.map((each) => formatted(each, layout, deeper)))}]`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return compact(value, ' ');
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${formatted(each, layout, deeper)}`,
  );
  return members.length === 0 ? '{}' : `{${lines(members)}}`;
}

/** On one line. `space`: after commas and colons, and inside of braces. */
export function compact(value: unknown, space: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => compact(each, space)).join(`,${space}`)}]`;
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${space}${compact(each, space)}`);
  return members.length === 0 ? '{}' : `{${space}${members.join(`,${space}`)}${space}}`;
}
