// Moves the focus to the form after a selection in the list.

import { type RefObject, useEffect } from 'react';

let wanted = false;

/** Called on a selection. The form takes the focus when it is shown. */
export function enterForm(): void {
  wanted = true;
}

export function useEnteredForm(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    if (!wanted) return;
    wanted = false;
    const field = '.fields :is(input, textarea, select, button)';
    const first =
      form.current?.querySelector<HTMLElement>(field) ?? form.current?.querySelector<HTMLElement>('[type=submit]');
    first?.focus({ preventScroll: true });
  }, [form]);
}
