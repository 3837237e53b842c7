// Light or dark: as the system says, unless somebody chose. The choice is kept in this browser.

import { Cell } from './cell.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'standpipe-theme';

function remembered(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export const theme = new Cell<Theme>(remembered());

function show(): void {
  const chosen = theme.read();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function isDark(): boolean {
  const chosen = theme.read();
  return chosen === 'dark' || (chosen === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}

export function toggleTheme(): void {
  const next = isDark() ? 'light' : 'dark';
  localStorage.setItem(KEY, next);
  theme.set(next);
}

show();
theme.watch(show);
