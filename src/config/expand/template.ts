// Text with variables: `${NAME}`, `${NAME:-default}`, `${scope:name}`, `${scope:name:-default}`. A default may contain variables
// and pairs of braces. `$${` is a literal `${`; any other dollar sign is literal, so that passwords and patterns are unchanged.
// Only the syntax: the meaning of names is in variables.ts.

export interface Reference {
  /** As written, without the default. */
  expression: string;
  /** `env` of `${env:NAME}`; empty for `${NAME}`. */
  scope: string;
  name: string;
  fallback: Template | undefined;
}

export type Template = readonly (string | Reference)[];

/** The limit of nested defaults. */
const MOST_NESTED = 20;

/** A text with a syntax error is not a template; the fault explains it. */
export function parseTemplate(text: string): { template: Template; fault?: string } {
  try {
    return { template: parse(text, 0, 0).parts };
  } catch (error) {
    if (error instanceof Fault) return { template: [], fault: error.message };
    throw error;
  }
}

/** All references, including those in defaults. */
export function references(template: Template): Reference[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part, ...references(part.fallback ?? [])]));
}

/** If `lookUp` returns undefined, the default is used. If there is no default, `missing` is called. */
export function render(
  template: Template,
  lookUp: (reference: Reference) => string | undefined,
  missing: (reference: Reference) => void,
): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = lookUp(part);
      // As in a shell, `:-` also replaces an empty value.
      if (value !== undefined && (value !== '' || !part.fallback)) return value;
      if (part.fallback) return render(part.fallback, lookUp, missing);
      missing(part);
      return '';
    })
    .join('');
}

function parse(text: string, from: number, nested: number): { parts: Template; end: number } {
  const parts: (string | Reference)[] = [];
  let literal = '';
  let depth = 0;
  let at = from;
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      literal += '${';
      depth++;
      at += 3;
    } else if (text.startsWith('${', at)) {
      const { reference, end } = parseReference(text, at, nested);
      parts.push(literal, reference);
      literal = '';
      at = end;
    } else {
      if (text[at] === '{') depth++;
      if (text[at] === '}' && depth-- <= 0 && nested > 0) break;
      literal += text[at++];
    }
  }
  parts.push(literal);
  return { parts: parts.filter((part) => part !== ''), end: at };
}

const nameAndEnd = /\$\{([^${}]*?)(\}|:-)/y;

function parseReference(text: string, start: number, nested: number): { reference: Reference; end: number } {
  nameAndEnd.lastIndex = start;
  const [, expression = '', ending] = nameAndEnd.exec(text) ?? [];
  if (!ending)
    throw new Fault(text.includes('}', start) ? 'this is not a valid variable name' : '"${" has no closing "}"');
  const colon = expression.indexOf(':');
  const scope = expression.slice(0, Math.max(colon, 0));
  const name = expression.slice(colon + 1);
  if (name.trim() === '') throw new Fault('"${}" contains no name');
  const afterName = start + 2 + expression.length;
  if (ending === '}') return { reference: { expression, scope, name, fallback: undefined }, end: afterName + 1 };
  if (nested >= MOST_NESTED) throw new Fault('defaults are nested too deeply');
  const { parts, end } = parse(text, afterName + 2, nested + 1);
  if (end >= text.length) throw new Fault('"${" has no closing "}"');
  return { reference: { expression, scope, name, fallback: parts }, end: end + 1 };
}

class Fault extends Error {}
