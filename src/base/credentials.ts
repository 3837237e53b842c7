// Credentials of an HTTP request: the user and password of a URL, and whether the headers have some already.

import { base64OfText } from './header-text.ts';

export interface UrlCredentials {
  /** As they are in the URL, and decoded. */
  encodedPassword: string;
  user: string;
  password: string;
  /** What follows `Basic ` in the header. */
  basic: string;
}

/** Takes them out of the URL. Undefined if there are none. */
export function takeCredentials(url: { username: string; password: string }): UrlCredentials | undefined {
  const { username, password: encodedPassword } = url;
  if (username === '' && encodedPassword === '') return undefined;
  url.username = '';
  url.password = '';
  const [user, password] = [unescaped(username), unescaped(encodedPassword)];
  return { encodedPassword, user, password, basic: base64OfText(`${user}:${password}`) };
}

export function hasAuthorization(headerNames: Iterable<string>): boolean {
  return [...headerNames].some((name) => name.toLowerCase() === 'authorization');
}

/** As it is where a percent sign escapes nothing. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
