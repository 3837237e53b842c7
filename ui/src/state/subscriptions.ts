// Subscriptions of the page to resources, with their newest updates.

import type { Subscription } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { Cell } from './cell.ts';

export const subscriptions = new Cell<readonly Subscription[]>([]);

export function putSubscription(subscription: Subscription): void {
  subscriptions.update((known) => {
    const others = known.filter(({ id }) => id !== subscription.id);
    return subscription.state === 'stopped' ? others : [...others, subscription];
  });
}

export async function loadSubscriptions(): Promise<void> {
  subscriptions.set(await api.subscriptions());
}
