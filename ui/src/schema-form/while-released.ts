// Delays layout changes while a button is pressed: a button that moves between press and release gets no click event.

let isPressed = false;

addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (isPressed = false), true);

/** Calls `show` now, or after the click of the pressed button. */
export function whileReleased(show: () => void): void {
  if (!isPressed) return show();
  const released = new AbortController();
  const later = () => {
    released.abort();
    setTimeout(show);
  };
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, later, { signal: released.signal });
}
