// Short notifications, shown in a corner and announced by screen readers.

import { Cell } from './cell.ts';

export interface Announcement {
  id: number;
  tone: 'good' | 'bad' | 'plain';
  text: string;
}

const SHOWN_MS = 4_000;

export const announcements = new Cell<readonly Announcement[]>([]);
let lastId = 0;

export function announce(text: string, tone: Announcement['tone'] = 'plain'): void {
  const id = ++lastId;
  announcements.update((shown) => [...shown.slice(-3), { id, tone, text }]);
  setTimeout(() => dismiss(id), tone === 'bad' ? SHOWN_MS * 2 : SHOWN_MS);
}

export function dismiss(id: number): void {
  announcements.update((shown) => shown.filter((one) => one.id !== id));
}
