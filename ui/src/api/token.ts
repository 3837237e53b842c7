// The token of the launch: comes in the address, leaves it at once (so that no screenshot or history shows it), and is kept for
// this address and port, so that links open in other tabs too. No other page can read it there, and unlike a cookie it is
// sent nowhere by itself. It is worthless when the Inspector has ended.

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

/** An address of this place that opens in another tab too. */
export function shareableAddress(hash: string): string {
  const url = new URL(location.href);
  url.searchParams.set('token', token);
  url.hash = hash;
  return url.href;
}
