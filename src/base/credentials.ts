// Credentials of an HTTP request: takes the user and password out of a URL, and checks headers for an Authorization header.

import { base64OfText } from './header-text.ts';

export interface UrlCredentials {
  /** The password as it is in the URL. `user` and `password` are decoded. */
  encodedPassword: string;
  user: string;
  password: string;
  /** The text after `Basic ` in the Authorization header. */
  basic: string;
}

/** Removes the credentials from the URL and returns them. Undefined if the URL has none. */
export function takeCredentials(url: { username: string; password: string }): UrlCredentials | undefined {
  if (!hasCredentials(url)) return undefined;
  const { username, password: encodedPassword } = url;
  url.username = '';
  url.password = '';
  const [user, password] = [unescaped(username), unescaped(encodedPassword)];
  return { encodedPassword, user, password, basic: base64OfText(`${user}:${password}`) };
}

export function hasAuthorization(headerNames: Iterable<string>): boolean {
  return [...headerNames].some((name) => name.toLowerCase() === 'authorization');
}

/** Returns the text unchanged if it contains an invalid percent escape. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a URL names a user. A password alone is a credential too. */
export function hasCredentials({ username, password }: { username: string; password: string }): boolean {
  return username !== '' || password !== '';
}
