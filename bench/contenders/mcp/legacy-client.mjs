// Our client, in the era of the official client's choice.

import { connect as connectMcp } from './client.mjs';

export const connect = () => connectMcp({ era: 'legacy' });
