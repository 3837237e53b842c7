// Whoever chooses from the list wants to fill in the form next: the focus goes there, past the rest of the list.

import { type RefObject, useEffect } from 'react';

let wanted = false;

/** To be called when something is chosen; its form takes the focus once it is there. */
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
