import { connectIn } from './client.mjs';

export const connect = () => connectIn('2026-07-28');
