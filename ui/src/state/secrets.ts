// Whether secrets are shown. Hidden by default; the choice holds for this tab until it is closed.

const KEY = 'standpipe-secrets';

export const secretsShown = sessionStorage.getItem(KEY) === 'shown';

/** All data of the page was loaded with secrets hidden or shown, so the page is reloaded. */
export function toggleSecrets(): void {
  if (secretsShown) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, 'shown');
  location.reload();
}
