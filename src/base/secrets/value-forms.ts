// The escaped forms of a value: in JSON as common serializers write it, also twice (JSON text inside JSON, as in tool
// results), and in URLs. A value of letters and digits has one form.

/** Returns the forms without duplicates; the value itself is first. */
export function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = escapeAll(json, /[^ -~]/g); // Python
  const inJson = [
    json,
    escapeAll(json, /[\u2028\u2029]/g), // Standpipe
    escapeAll(json, /[<>&\u2028\u2029]/g), // Go
    ascii,
    ...[json, ascii].map((form) => form.replaceAll('/', '\\/')), // PHP
    dotNet(json),
  ];
  const inText = inJson.map((form) => JSON.stringify(form).slice(1, -1));
  return [...new Set([value, ...inJson, ...inText, ...formsInUrl(value)])];
}

/** .NET escapes everything but ASCII, and the special characters of HTML, with upper-case digits. */
function dotNet(json: string): string {
  return json.replaceAll(/\\"|\\u[\da-f]{4}|[^ -~]|[&'+<>`]/g, (found) =>
    found[1] === 'u' ? `\\u${found.slice(2).toUpperCase()}` : escaped(found.at(-1)!).toUpperCase().replace('U', 'u'),
  );
}

function escapeAll(text: string, characters: RegExp): string {
  return text.replaceAll(characters, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function formsInUrl(value: string): string[] {
  if (/\p{Surrogate}/u.test(value)) return []; // a lone surrogate cannot be encoded in a URL
  const loose = encodeURIComponent(value);
  const percent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const strict = loose.replaceAll(/[!'()*]/g, percent); // RFC 3986
  const inForm = strict.replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', percent);
  const upper = [loose, strict, strict.replaceAll('%2F', '/'), inForm, inForm.replaceAll('*', percent)];
  return [...upper, ...upper.map((form) => form.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()))];
}
