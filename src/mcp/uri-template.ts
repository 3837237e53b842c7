// URI templates (RFC 6570), as far as resources use them: which variables a template has, and what they are in a given
// URI. Each expression matches what its operator could have produced, and never across what the operator would not.

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

/**
 * How long a URI may be to be looked at. Every variable that may contain anything (`{+path}`) multiplies the ways to part a
 * URI: with two of them a long one would take minutes.
 */
const LONGEST_URI = 8192;
const LONGEST_URI_OF_MANY = 512;

export class UriTemplate {
  readonly variables: string[] = [];
  readonly #pattern: RegExp;
  /** Those that may contain any character. */
  #openVariables = 0;

  constructor(template: string) {
    let pattern = '';
    let end = 0;
    for (const match of template.matchAll(EXPRESSION)) {
      const [whole, operator = '', list = ''] = match;
      pattern += escaped(template.slice(end, match.index));
      pattern += this.#expression(operator, list);
      end = match.index + whole.length;
    }
    this.#pattern = new RegExp(`^${pattern}${escaped(template.slice(end))}$`);
  }

  /** The variables as they stand in the URI, decoded; nothing if it does not match. */
  match(uri: string): Record<string, string> | undefined {
    if (uri.length > (this.#openVariables > 1 ? LONGEST_URI_OF_MANY : LONGEST_URI)) return undefined;
    const match = this.#pattern.exec(uri);
    if (!match) return undefined;
    const values: Record<string, string> = Object.create(null);
    this.variables.forEach((name, n) => {
      const value = match[n + 1];
      if (value !== undefined) values[name] = decoded(value);
    });
    return values;
  }

  #expression(operator: string, list: string): string {
    const names = list.split(',').map((name) => name.trim().replace(/\*$|:\d+$/, ''));
    const explodes = list.includes('*');
    this.variables.push(...names);
    if (operator === '+' || operator === '#' || explodes) this.#openVariables += names.length;
    switch (operator) {
      case '+':
        return names.map(() => '(.+?)').join(',');
      case '#':
        return `#${names.map(() => '(.*?)').join(',')}`;
      case '?':
      case '&':
      case ';': {
        const lead = operator === '?' ? '[?&]' : escaped(operator);
        return names.map((name) => `(?:${lead}${escaped(name)}=([^&;#]*))?`).join('');
      }
      case '/':
      case '.':
        return names.map(() => `${escaped(operator)}(${explodes ? '.+?' : `[^${escaped(operator)}/?#]+`})`).join('');
      default:
        return names.map(() => (explodes ? '(.+?)' : '([^/?#,]+)')).join(',');
    }
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a stray % is data, not an encoding
  }
}
