// The access token. It arrives in the address and is removed from it at once, so that screenshots and the history do not show it. It is
// stored for this origin, so that links work in other tabs. Pages of other origins cannot read it, and browsers do not send it
// automatically as they do with a cookie. It is invalid after the Inspector has exited.

const KEY = 'standpipe-token';

function takeToken(): string {
  const url = new URL(location.href);
  const given = url.searchParams.get('token');
  if (given === null) return localStorage.getItem(KEY) ?? '';
  localStorage.setItem(KEY, given);
  url.searchParams.delete('token');
  history.replaceState(history.state, '', url);
  return given;
}

export const token = takeToken();

/** The full address of a view, which also works in another tab. */
export function shareableAddress(hash: string): string {
  const url = new URL(location.href);
  url.searchParams.set('token', token);
  url.hash = hash;
  return url.href;
}
