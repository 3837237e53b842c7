// Adds, replaces and removes servers in the text of a config. The new text is parsed again: an edit that would change anything else
// is refused. The TOML and YAML libraries are loaded on first use. Does no I/O.

import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, stripComments } from 'jsonc-parser';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { problemError } from '../problem.ts';
import { parseDocument } from '../read/json-document.ts';
import { parseText } from '../read/parse-text.ts';
import { type Change, type ServersAt, withChanges } from './change.ts';
import { editJson } from './json-text.ts';

interface Language {
  /** Of a text without errors. */
  parse(text: string): unknown;
  edit(text: string, changes: readonly Change[]): string;
}

/** Throws CONFIG_INVALID with the position of a syntax error. */
export async function editServers(text: string, at: ServersAt, changes: readonly Change[]): Promise<string> {
  const { fault } = await parseText(orEmpty(text, at), { file: at.file, layout: at });
  if (fault) throw problemError({ severity: 'error', ...fault });
  const language = await languageOf(at);
  const given = changes.map(({ name, entry }): Change => ({ name, entry: entry && plain(entry) }));
  return editAll(text, at, given, language);
}

/** Applies all changes at once, because each edit parses the whole text; one at a time only to find a change that fails. */
function editAll(text: string, at: ServersAt, changes: readonly Change[], language: Language): string {
  const wanted = withChanges(language.parse(text), at, changes);
  const edited = language.edit(text, changes);
  if (isReached(edited, wanted, at, language)) return edited;
  if (changes.length === 1) throw tooIntricate(at, changes[0]!);
  return changes.reduce((before, change) => editAll(before, at, [change], language), text);
}

/** JSON without a value is treated as an empty object. */
export function orEmpty(text: string, { format }: Pick<ServersAt, 'format'>): string {
  return format === 'json' && stripComments(text).trim() === '' ? `${text}\n{}` : text;
}

function isReached(edited: string, wanted: unknown, { path }: ServersAt, { parse }: Language): boolean {
  try {
    return isDeepStrictEqual(comparable(parse(edited), path), comparable(wanted, path));
  } catch {
    return false; // a text with a syntax error is not the wanted result
  }
}

async function languageOf(at: ServersAt): Promise<Language> {
  if (at.format === 'toml') {
    const [toml, { editToml }] = await Promise.all([import('@decimalturn/toml-patch'), import('./toml-text.ts')]);
    return { parse: (text) => toml.parse(text), edit: (text, changes) => editToml(text, at, changes, toml) };
  }
  if (at.format === 'yaml') {
    const [yaml, { editYaml }] = await Promise.all([import('yaml'), import('./yaml-text.ts')]);
    return {
      parse: (text) => yaml.parse(text, { logLevel: 'error', maxAliasCount: -1 }),
      edit: (text, changes) => editYaml(text, at, changes, yaml),
    };
  }
  const parse = (text: string) => getNodeValue(parseDocument(orEmpty(text, at), at.file).root!);
  return { parse, edit: (text, changes) => editJson(text, at, changes) };
}

function tooIntricate({ file }: ServersAt, { name, entry }: Change): UsageError {
  const verb = entry === undefined ? 'removed from' : 'written to';
  return new UsageError('CONFIG_INVALID', `"${name}" cannot be ${verb} ${file} without changing other content`, {
    hint: 'Edit the file by hand.',
  });
}

/** Removes empty objects on the path, because the TOML editor leaves out a table without servers. */
function comparable(data: unknown, path: readonly string[]): unknown {
  const object = plain(data ?? {}) as Record<string, unknown>;
  const [key, ...rest] = path;
  if (key === undefined || !isObject(object[key])) return object;
  const inner = comparable(object[key], rest) as object;
  if (Object.keys(inner).length > 0) return { ...object, [key]: inner };
  const { [key]: _, ...others } = object;
  return others;
}

/** Data for comparison, without prototypes and undefined members. */
function plain<T>(value: T): T {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
  return text === undefined ? value : JSON.parse(text);
}
