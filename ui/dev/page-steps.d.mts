import type { Page } from 'playwright-core';

export function scrollAbout(page: Page): Promise<unknown>;
export function search(page: Page, events: number): Promise<void>;
export function filter(page: Page): Promise<void>;
export function pressKeys(page: Page): Promise<void>;
