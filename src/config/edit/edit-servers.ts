// Adds, replaces and removes servers in the text of a config. The new text is read again: an edit that would change anything else
// is refused. The libraries of TOML and YAML are loaded on first use. Does no I/O.

import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, stripComments } from 'jsonc-parser';
import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { problemError } from '../problem.ts';
import { parseDocument } from '../read/json-document.ts';
import { nestsTooDeeply, TOO_DEEP } from '../read/nesting.ts';
import { type Change, type ServersAt, withChange } from './change.ts';
import { editJson } from './json-text.ts';

interface Language {
  /** Throws an error with the position for what is not in this language. */
  parse(text: string): unknown;
  edit(text: string, change: Change): string;
}

/** Throws CONFIG_INVALID with the position of a syntax error. */
export async function editServers(text: string, at: ServersAt, changes: readonly Change[]): Promise<string> {
  const language = await languageOf(at);
  if (at.format !== 'json' && nestsTooDeeply(text)) {
    throw problemError({ severity: 'error', file: at.file, line: 1, column: 1, message: TOO_DEEP });
  }
  let edited = text;
  for (const given of changes) {
    const change: Change = { name: given.name, entry: given.entry && plain(given.entry) };
    const wanted = withChange(language.parse(edited), at, change);
    edited = language.edit(edited, change);
    const reached = language.parse(edited);
    if (!isDeepStrictEqual(comparable(reached, at.path), comparable(wanted, at.path))) throw tooIntricate(at, change);
  }
  return edited;
}

async function languageOf(at: ServersAt): Promise<Language> {
  if (at.format === 'toml') {
    const [toml, { editToml }] = await Promise.all([import('@decimalturn/toml-patch'), import('./toml-text.ts')]);
    return { parse: (text) => readToml(text, at.file, toml), edit: (text, change) => editToml(text, at, change, toml) };
  }
  if (at.format === 'yaml') {
    const [yaml, { editYaml }] = await Promise.all([import('yaml'), import('./yaml-text.ts')]);
    return { parse: (text) => readYaml(text, at.file, yaml), edit: (text, change) => editYaml(text, at, change, yaml) };
  }
  return { parse: (text) => readJson(text, at.file), edit: (text, change) => editJson(text, at, change) };
}

function readJson(text: string, file: string): unknown {
  const isBlank = stripComments(text).trim() === '';
  const { root, fault } = parseDocument(isBlank ? `${text}\n{}` : text, file);
  if (fault) throw problemError({ severity: 'error', ...fault });
  return getNodeValue(root!);
}

/** The messages of the library quote the line, which may contain secrets. */
function readToml(text: string, file: string, { parse }: typeof import('@decimalturn/toml-patch')): unknown {
  try {
    return parse(text);
  } catch (error) {
    const { line = 1, column = 0 } = error as { line?: number; column?: number };
    throw problemError({
      severity: 'error',
      file,
      line,
      column: column + 1,
      message: 'Not TOML: there is an error here',
    });
  }
}

function readYaml(text: string, file: string, { parseDocument }: typeof import('yaml')): unknown {
  const document = parseDocument(text);
  const [fault] = document.errors;
  const { line, col: column } = fault?.linePos?.[0] ?? { line: 1, col: 1 };
  const message = 'Not YAML: there is an error here';
  if (fault) throw problemError({ severity: 'error', file, line, column, message });
  try {
    return document.toJS() ?? undefined;
  } catch {
    throw problemError({ severity: 'error', file, line, column, message: 'Not a config: its aliases have no end' });
  }
}

function tooIntricate({ file }: ServersAt, { name, entry }: Change): UsageError {
  const verb = entry === undefined ? 'removed from' : 'written to';
  return new UsageError('CONFIG_INVALID', `"${name}" cannot be ${verb} ${file} without a change of something else`, {
    hint: 'Edit the file by hand.',
  });
}

/** In TOML there is no table of servers without servers. */
function comparable(data: unknown, path: readonly string[]): unknown {
  const object = plain(data ?? {}) as Record<string, unknown>;
  const [key, ...rest] = path;
  if (key === undefined || !isObject(object[key])) return object;
  const inner = comparable(object[key], rest) as object;
  if (Object.keys(inner).length > 0) return { ...object, [key]: inner };
  const { [key]: _, ...others } = object;
  return others;
}

/** Data that can be compared: no prototypes, no members without a value. */
function plain<T>(value: T): T {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
  return text === undefined ? value : JSON.parse(text);
}
