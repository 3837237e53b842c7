// Light or dark theme: that of the system, unless the user chose one. The choice is kept in this browser.

import { Cell } from './cell.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'standpipe-theme';

function remembered(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

const theme = new Cell<Theme>(remembered());

const system = matchMedia('(prefers-color-scheme: dark)');

function isDark(): boolean {
  const chosen = theme.read();
  return chosen === 'dark' || (chosen === 'system' && system.matches);
}

/** The theme that is shown, chosen or not. */
export const dark = new Cell(isDark());
system.addEventListener('change', () => dark.set(isDark()));

function show(): void {
  const chosen = theme.read();
  dark.set(isDark());
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function toggleTheme(): void {
  const next = dark.read() ? 'light' : 'dark';
  localStorage.setItem(KEY, next);
  theme.set(next);
}

show();
theme.watch(show);
