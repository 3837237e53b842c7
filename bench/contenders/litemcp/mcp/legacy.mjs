import { connectIn } from './client.mjs';

export const connect = () => connectIn('2025-11-25');
