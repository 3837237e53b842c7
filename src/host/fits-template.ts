// Whether a URI fits the URI template of a server. Templates come from servers, so the work is bounded: each part of a template
// passes over the URI once, and none is tried again. A regular expression could take for ever, and would stop all servers.

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;
const LONGEST_URI = 1024;
const LONGEST_TEMPLATE = 1024;

/** The positions of the URI that the parts so far can end at; undefined once there is none. */
type Ends = readonly number[] | undefined;

export function fitsTemplate(uri: string, template: string): boolean {
  if (uri.length > LONGEST_URI || template.length > LONGEST_TEMPLATE) return false;
  let ends: Ends = [0];
  let at = 0;
  for (const { 0: whole, 1: operator = '', 2: list = '', index } of template.matchAll(EXPRESSION)) {
    ends = afterText(uri, ends, template.slice(at, index));
    ends = afterExpression(uri, ends, operator, list);
    if (!ends) return false;
    at = index + whole.length;
  }
  return afterText(uri, ends, template.slice(at))?.includes(uri.length) ?? false;
}

function afterExpression(uri: string, before: Ends, operator: string, list: string): Ends {
  const names = list.split(',').map((name) => name.trim().replace(/\*$|:\d+$/, ''));
  const isOpen = operator === '+' || operator === '#' || list.includes('*');
  const separator = operator === '/' || operator === '.' ? operator : ',';
  let ends = before;
  for (const [n, name] of names.entries()) {
    if (operator === '?' || operator === '&' || operator === ';') {
      const leads = operator === '?' ? ['?', '&'] : [operator];
      const given = leads.map((lead) => afterRun(uri, afterText(uri, ends, `${lead}${name}=`), '&;#', 0));
      ends = union(ends, ...given);
      continue;
    }
    if (operator === '#' && n === 0) ends = afterText(uri, ends, '#');
    if (n > 0 || separator !== ',') ends = afterText(uri, ends, separator);
    ends = afterRun(uri, ends, isOpen ? '' : `/?#${separator}`, operator === '#' ? 0 : 1);
  }
  return ends;
}

function afterText(uri: string, ends: Ends, text: string): Ends {
  return some(ends?.filter((end) => uri.startsWith(text, end)).map((end) => end + text.length));
}

/** After at least `least` characters, none of them excluded. */
function afterRun(uri: string, ends: Ends, excluded: string, least: 0 | 1): Ends {
  const starts = new Set(ends);
  const after: number[] = [];
  let isRunning = false;
  for (let at = ends?.[0] ?? uri.length + 1; at <= uri.length; at++) {
    const isReached = isRunning || (least === 0 && starts.has(at));
    if (isReached) after.push(at);
    isRunning = (isRunning || starts.has(at)) && at < uri.length && !excluded.includes(uri[at]!);
  }
  return some(after);
}

function union(...all: Ends[]): Ends {
  return some([...new Set(all.flatMap((ends) => ends ?? []))].sort((a, b) => a - b));
}

function some(ends: readonly number[] | undefined): Ends {
  return ends && ends.length > 0 ? ends : undefined;
}
