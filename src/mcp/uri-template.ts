// The part of URI templates (RFC 6570) that resources use: the variables of a template, and their values in a given URI.
// Each expression matches only text that its operator could have produced.
//
// The parts of a template are matched from the last to the first, each at every position of the URI, so the work is
// proportional to both lengths. A regular expression would try all ways to split a URI, which can take exponential
// time.

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;

const LONGEST_URI = 8192;
/** The limit for the parts of the template times the characters of the URI. */
const MOST_STEPS = 4 * 1024 * 1024;

export interface StepBudget {
  left: number;
}

interface Variable {
  /** Characters that the value cannot contain. */
  excluded: string;
  least: 0 | 1;
  /** Whether the value takes as few characters as possible instead of as many. */
  isShort: boolean;
  /** The texts that can precede the value of an optional variable. */
  leads?: readonly string[];
}

/** Marks the positions in a URI where a part and all parts after it can match, with 1 for each position. */
type Begins = Uint8Array;

export class UriTemplate {
  readonly variables: string[] = [];
  /** A string is matched literally. */
  readonly #parts: (string | Variable)[] = [];

  constructor(template: string) {
    let end = 0;
    for (const { 0: whole, 1: operator = '', 2: list = '', index } of template.matchAll(EXPRESSION)) {
      this.#parts.push(template.slice(end, index));
      this.#addExpression(operator, list);
      end = index + whole.length;
    }
    this.#parts.push(template.slice(end));
  }

  /**
   * The decoded values of the variables in the URI; undefined if the URI does not match. `steps`: a budget for several matches. It is
   * reduced by the positions that were examined. When it is used up, the result is undefined and `left` is negative.
   */
  match(uri: string, steps?: StepBudget): Record<string, string> | undefined {
    const parts = this.#parts;
    if (uri.length > LONGEST_URI || parts.length * (uri.length + 1) > MOST_STEPS) return undefined;
    if (!uri.startsWith(parts[0] as string)) return undefined;
    const begins: Begins[] = new Array(parts.length);
    let next: Begins = new Uint8Array(uri.length + 1);
    next[uri.length] = 1;
    const atEnd = next;
    for (let n = parts.length - 1; n >= 0; n--) {
      if (steps) steps.left -= uri.length + 1;
      if (steps && steps.left < 0) return undefined;
      next = beginsOf(parts[n]!, uri, next);
      if (!next.includes(1)) return undefined;
      begins[n] = next;
    }
    return next[0] === 1 ? this.#values(uri, [...begins, atEnd]) : undefined;
  }

  #values(uri: string, begins: readonly Begins[]): Record<string, string> {
    const values: Record<string, string> = Object.create(null);
    let at = 0;
    let variable = 0;
    for (const [n, part] of this.#parts.entries()) {
      if (typeof part === 'string') {
        at += part.length;
        continue;
      }
      const name = this.variables[variable++]!;
      const next = begins[n + 1]!;
      for (const lead of part.leads ?? ['']) {
        if (!uri.startsWith(lead, at)) continue;
        const end = endOf(part, uri, at + lead.length, next);
        if (end === undefined) continue;
        values[name] = decoded(uri.slice(at + lead.length, end));
        at = end;
        break;
      }
    }
    return values;
  }

  #addExpression(operator: string, list: string): void {
    const names = list.split(',').map((name) => name.trim().replace(/\*$|:\d+$/, ''));
    const explodes = list.includes('*');
    const isShort = operator === '+' || operator === '#' || explodes;
    for (const [n, name] of names.entries()) {
      this.variables.push(name);
      if (operator === '?' || operator === '&' || operator === ';') {
        const leads = (operator === '?' ? ['?', '&'] : [operator]).map((lead) => `${lead}${name}=`);
        this.#parts.push({ excluded: '&;#', least: 0, isShort: false, leads });
        continue;
      }
      const before = operator === '/' || operator === '.' ? operator : n > 0 ? ',' : operator === '#' ? '#' : '';
      const closing = operator === '.' || operator === '/' ? operator : ',';
      this.#parts.push(before, {
        excluded: isShort ? '\n\r\u2028\u2029' : `${closing}/?#`,
        least: operator === '#' ? 0 : 1,
        isShort,
      });
    }
  }
}

function beginsOf(part: string | Variable, uri: string, next: Begins): Begins {
  if (part === '') return next;
  const begins = new Uint8Array(uri.length + 1);
  if (typeof part === 'string') {
    for (let at = uri.indexOf(part); at >= 0; at = uri.indexOf(part, at + 1)) begins[at] = next[at + part.length]!;
    return begins;
  }
  const { excluded, least, leads } = part;
  let isNext = 0; // whether the value can end after this character or later
  for (let at = uri.length; at >= 0; at--) {
    const isLonger = at < uri.length && isNext === 1 && !excluded.includes(uri[at]!);
    begins[at] = isLonger || (least === 0 && next[at] === 1) ? 1 : 0;
    isNext = isLonger || next[at] === 1 ? 1 : 0;
  }
  if (!leads) return begins;
  const optional = next.slice();
  for (const lead of leads) {
    for (let at = uri.indexOf(lead); at >= 0; at = uri.indexOf(lead, at + 1)) {
      if (begins[at + lead.length] === 1) optional[at] = 1;
    }
  }
  return optional;
}

/** Finds the end of the value that begins at `start`. The next part of the template must be able to begin there. */
function endOf({ excluded, least, isShort }: Variable, uri: string, start: number, next: Begins): number | undefined {
  let found: number | undefined;
  for (let at = start; ; at++) {
    if (at >= start + least && next[at] === 1) {
      found = at;
      if (isShort) break;
    }
    if (at >= uri.length || excluded.includes(uri[at]!)) break;
  }
  return found;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // an invalid % escape is data
  }
}
