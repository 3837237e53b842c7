// A button that moves between press and release gets no click from the browser: what would move it waits for the release.

let isPressed = false;

addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (isPressed = false), true);

/** Calls it now, or after the click of the button that is pressed. */
export function whileReleased(show: () => void): void {
  if (!isPressed) return show();
  const released = new AbortController();
  const later = () => {
    released.abort();
    setTimeout(show);
  };
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, later, { signal: released.signal });
}
