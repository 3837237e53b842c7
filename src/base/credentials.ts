// Credentials of an HTTP request, in its URL and its headers.

import { base64OfText } from './header-text.ts';

export interface UrlCredentials {
  /** The password as it is in the URL. `user` and `password` are decoded. */
  encodedPassword: string;
  user: string;
  password: string;
  /** The text after `Basic ` in the Authorization header. */
  basic: string;
}

/** Removes the credentials from the URL and returns them. */
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

/** Whether a URL leads to this machine. Host names besides `localhost` may resolve to any address. */
export function isLoopbackUrl({ hostname }: { hostname: string }): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Header values that must not be shown: each as a whole, and without a scheme such as `Bearer` or `Basic` before it. */
export function secretsInHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]);
}
