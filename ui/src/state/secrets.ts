// Whether secrets are shown as they are. Hidden unless somebody asks for them, in this tab and until it is closed.

const KEY = 'standpipe-secrets';

export const secretsShown = sessionStorage.getItem(KEY) === 'shown';

/** Everything that is on the page came with secrets hidden, or shown: it begins anew. */
export function toggleSecrets(): void {
  if (secretsShown) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, 'shown');
  location.reload();
}
